"""The records to analyse, if they are in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pips_referee.errors import PipsError
from pips_referee.records.record import Record, read_record
from pips_tourney.errors import TourneyError

SUFFIX: Final = ".pips"


class NothingChosen(TourneyError):
    """No match fits the request."""


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
