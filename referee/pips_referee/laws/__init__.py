"""What every game promises, as laws that its author can try.

`pips-referee check-game GAME` tries them all. In the tests of a game they are::

    @pytest.mark.parametrize("check", checks_of("my_game"), ids=str)
    def test_it_keeps_the_laws(check: Check) -> None:
        check()

A law plays matches of random answers. What breaks it is said with the seed, the number
of decisions before it, the seat and the field.

**Invariant**: a law knows no game; what it looks at is what any game has.
"""

from pips_referee.laws.case import BrokenLaw, Case, Probe, cases_of, chance
from pips_referee.laws.laws import LAWS, Check, Law, checks_of

__all__ = ["LAWS", "BrokenLaw", "Case", "Check", "Law", "Probe", "cases_of", "chance", "checks_of"]
