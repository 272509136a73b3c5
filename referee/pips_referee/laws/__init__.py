"""What every game promises, as laws that the game's author can test.

`pips-referee check-game GAME` tests them all. A game's own tests use them like this::

    @pytest.mark.parametrize("check", checks_of("my_game"), ids=str)
    def test_it_keeps_the_laws(check: Check) -> None:
        check()

A law plays matches with random answers. An error gives the seed, the number of
decisions before it, the seat and the field.

**Invariant**: a law depends on no game; it uses only what every game has.
"""

from pips_referee.laws.case import BrokenLaw, Case, Probe, cases_of, chance
from pips_referee.laws.laws import LAWS, Check, Law, checks_of, tried

__all__ = ["LAWS", "BrokenLaw", "Case", "Check", "Law", "Probe", "cases_of", "chance", "checks_of", "tried"]
