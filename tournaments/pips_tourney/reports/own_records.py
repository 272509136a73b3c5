"""The records that an author gets with the page of feedback.

A record has every seat's answers, because a replay needs them. The bots' output, and
the reasons for faults of other bots, are left out: other authors must not see them.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pips.v1 import record_pb2
from pips_referee.printable import plain

SUFFIX: Final = ".pips"
SHORT: Final = 12
"""How many characters of a match's id are shown, and used in file names."""

_WORD: Final = r"[^\s/\"<>|:]+"
_FOLDER: Final = rf"(?:(?!{_WORD}\.\w{{1,4}}[,;.)]*\s){_WORD} +){{0,4}}{_WORD}"
"""A folder's name. It may contain blanks, but not after a file's suffix."""
_QUOTED: Final = re.compile(r"(?P<quote>[\"'`])(?P<folders>~?/[^\"'`\n]*/)(?P<last>[^\"'`\n/]*)(?=(?P=quote))")
_BARE: Final = re.compile(
    rf"(?P<quote>)(?<![\w.~/])(?<!http:)(?<!https:)(?P<folders>~?/+(?:{_FOLDER}/+)+)(?P<last>{_WORD}|)"
)
_HOMES: Final = ("/home/", "/Users/")
"""Folders in which a folder's name is that of a person."""


class OwnRecord(NamedTuple):
    """A record for the author of one of its bots."""

    name: str
    """The file's name."""
    data: bytes


def own_record(match: str, record: bytes, seat: int) -> OwnRecord:
    """The record of a match for the author of the bot in a seat."""
    message = record_pb2.MatchRecord.FromString(record)
    faults = [answer.fault for answer in message.answers if answer.WhichOneof("reply") == "fault"]
    by_rules = record_pb2.FAULT_KIND_ILLEGAL
    faults += [fault for fault in message.outcome.faults if fault.kind != by_rules]
    for fault in faults:
        fault.detail = without_folders(fault.detail) if fault.seat == seat else ""
        fault.evidence = ""
    return OwnRecord(f"{match[:SHORT]}{SUFFIX}", message.SerializeToString(deterministic=True))


def without_folders(text: str) -> str:
    """The text with file names instead of complete paths.

    A path ends at its closing quotation mark. Without one, folder names may have
    blanks.
    """
    return plain(_BARE.sub(_without, _QUOTED.sub(_without, text)))


def _without(path: re.Match[str]) -> str:
    return path["quote"] + ("~" if path["folders"] in _HOMES else path["last"])
