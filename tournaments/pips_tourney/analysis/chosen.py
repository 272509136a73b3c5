"""The records to analyse: of a night's complete deals, or of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from pips_referee.errors import PipsError
from pips_referee.record import Record, read_record
from pips_tourney.errors import TourneyError
from pips_tourney.night.night import Night

SUFFIX: Final = ".pips"


class NothingChosen(TourneyError):
    """No match is as it was asked for."""


def chosen_records(
    night: Night, bot: str, matches: Sequence[str] = (), contests: Sequence[str] = ()
) -> Iterator[Record]:
    """The records of that bot's matches in complete deals.

    `matches`: only those whose id begins so. `contests`: only of these labels. Raises
    `NothingChosen` for a bot, match or contest that there is none of.
    """
    names = [entrant.name for entrant in night.programme.entrants]
    labels = [contest.label for contest in night.programme.contests]
    if bot not in names:
        raise NothingChosen(f"there is no bot {bot} in this night; there are {', '.join(names)}")
    if unknown := [label for label in contests if label not in labels]:
        raise NothingChosen(f"there is no contest {unknown[0]} in this night; there are {', '.join(labels)}")
    found = 0
    for _, pairs in groupby(night.kept(), lambda pair: pair[0].block):
        block = list(pairs)
        first = block[0][0]
        if bot not in first.combination or any(row is None for _, row in block):
            continue
        ids = [fixture.match_id for fixture, _ in block]
        wanted = [each for each in ids if not matches or each.startswith(tuple(matches))]
        if wanted and (not contests or first.contest.label in contests):
            found += len(wanted)
            rows = night.store.rows(wanted)
            yield from (read_record(rows[each].record) for each in wanted)
    if not found:
        what = f" whose id begins with {' or '.join(matches)}" if matches else ""
        raise NothingChosen(f"no match of {bot}{what} is over, with its deal played in every seating")


def records_in(files: Sequence[Path]) -> list[tuple[Path, Record]]:
    """The records of these files, and of all record files in these folders.

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
