"""The records to analyse: those of a night's complete deals, or those in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pips_referee.errors import PipsError
from pips_referee.records.record import Record, read_record
from pips_tourney.errors import TourneyError

if TYPE_CHECKING:  # an author's commands come here, without the extra league
    from pips_tourney.night.night import Night
    from pips_tourney.night.plan.fixtures import Fixture

SUFFIX: Final = ".pips"


class NothingChosen(TourneyError):
    """No match fits the request."""


def complete_blocks(night: Night) -> Iterator[list[Fixture]]:
    """The matches of each deal that counts and was played in every seating."""
    for _, pairs in groupby(night.kept(), lambda pair: pair[0].block):
        block = list(pairs)
        if all(row is not None for _, row in block):
            yield [fixture for fixture, _ in block]


def complete_deals_of(night: Night, contest: str) -> Iterator[list[str]]:
    """The match ids of the complete deals of one contest, deal by deal."""
    for block in complete_blocks(night):
        if block[0].contest.label == contest:
            yield [fixture.match_id for fixture in block]


def chosen_records(night: Night, bot: str) -> Iterator[Record]:
    """The records of that bot's matches in complete deals.

    Raises `NothingChosen` if the night has no such bot, or the bot no such match.
    """
    names = [entrant.name for entrant in night.programme.entrants]
    if bot not in names:
        raise NothingChosen(f"there is no bot {bot} in this night; there are {', '.join(names)}")
    found = 0
    for block in complete_blocks(night):
        if bot in block[0].combination:
            rows = night.store.rows([fixture.match_id for fixture in block])
            found += len(rows)
            yield from (read_record(rows[fixture.match_id].record) for fixture in block)
    if not found:
        raise NothingChosen(f"no match of {bot} is over, with its deal played in every seating")


def records_in(files: Sequence[Path]) -> list[tuple[Path, Record]]:
    """The records in these files and in all record files of these folders.

    `NothingChosen` names a file that cannot be read.
    """
    places = [place for file in files for place in (sorted(file.glob(f"*{SUFFIX}")) if file.is_dir() else [file])]
    records = []
    for place in places:
        try:
            records.append((place, read_record(place.read_bytes())))
        except OSError as error:
            raise NothingChosen(f"{place}: {error.strerror}") from None
        except PipsError as error:
            raise NothingChosen(f"{place} is no record of a match: {error}") from None
    if not records:
        raise NothingChosen(f"there is no record of a match (*{SUFFIX}) in {', '.join(map(str, files))}")
    return records
