"""All laws, and the check of one law on one case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Final, NamedTuple

from pips_referee.game import get_game
from pips_referee.laws import play, travel, worlds
from pips_referee.laws.case import BrokenLaw, Case, Probe, cases_of
from pips_referee.laws.elsewhere import another_process_plays_the_same
from pips_referee.laws.twins import nothing_hidden_shows


class Law(NamedTuple):
    """Something that every game promises."""

    tries: Callable[[Probe], None]
    part: str = ""
    """The module that the law is about; a game without it is exempt."""
    once: bool = False
    """Whether it is tested once, on all cases of a game."""

    @property
    def name(self) -> str:
        return self.tries.__name__

    @property
    def sentence(self) -> str:
        """The law as a sentence."""
        return " ".join((self.tries.__doc__ or "").split())


LAWS: Final = (
    Law(play.what_is_asked_is_a_choice_of_a_seat),
    Law(play.what_is_legal_applies),
    Law(play.what_is_illegal_is_refused_and_changes_nothing),
    Law(play.random_answers_are_the_legal_ones),
    Law(play.views_ask_what_the_state_asks),
    Law(play.nothing_is_legal_at_the_end),
    Law(play.places_fit_the_seats),
    Law(play.no_match_is_longer_than_the_longest),
    Law(play.copies_are_independent),
    Law(play.views_stay_as_they_were),
    Law(play.a_match_is_its_seed_and_its_answers),
    Law(another_process_plays_the_same, once=True),
    Law(nothing_hidden_shows),
    Law(travel.events_hide_once_and_for_all),
    Law(travel.values_travel),
    Law(travel.values_are_frozen),
    Law(travel.records_replay),
    Law(travel.words_are_read_as_what_they_say),
    Law(worlds.worlds_agree_with_their_view, "worlds"),
    Law(worlds.worlds_are_played_to_their_end, "worlds"),
    Law(worlds.who_is_not_asked_imagines_nothing, "worlds"),
    Law(worlds.what_is_dealt_stays, "worlds"),
    Law(worlds.a_value_is_a_share, "worth"),
)


@dataclass(frozen=True)
class Check:
    """One law on one case."""

    law: Law
    case: Case
    cases: tuple[Case, ...] = ()

    def __str__(self) -> str:
        return f"{self.law.name}-{self.case.id}"

    def __call__(self) -> int:
        """Return how many positions, or other things, were compared.

        `BrokenLaw` says where the game breaks the law.
        """
        probe = Probe(self.case, self.cases)
        try:
            self.law.tries(probe)
        except BrokenLaw:
            raise
        except Exception as error:
            frame = extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}, line {frame.lineno}"
            raise probe.broken(f"{type(error).__name__}: {error} ({where})") from error
        return probe.compared


def checks_of(game: str, cases: Iterable[Case] | None = None) -> list[Check]:
    """All checks of a game: every law that applies, on every case.

    Without cases: the fewest, usual and most seats, and each choice of its options.
    """
    known = tuple(cases_of(game) if cases is None else cases)
    laws = [law for law in LAWS if not law.part or get_game(game).part(law.part)]
    return [Check(law, case, known) for law in laws for case in (known[:1] if law.once else known)]


def tried(checks: Sequence[Check]) -> tuple[str, list[str]]:
    """The result of one law, and its violations if any.

    The result is `kept`, `nothing` to compare, or `BROKEN`.
    """
    compared, lines = 0, []
    for check in checks:
        try:
            compared += check()
        except AssertionError as error:
            lines.append(str(error))
    return ("BROKEN" if lines else "kept" if compared else "nothing"), lines
