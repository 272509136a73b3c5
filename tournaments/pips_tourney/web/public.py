"""A night for everybody to read.

It has no paths, no printed lines, no reasons of the organiser, and on request no names.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pips_tourney.night.log.store import StoreError

Json = dict[str, Any]
KEPT: Final = frozenset({"label", "game", "games", "options", "notes"})
"""Parts of a table that never contain bots' names."""
SENTENCES: Final = frozenset({"why"})
"""Parts with bots' names within sentences; with aliases they are left out."""
UNREADABLE: Final = "the night cannot be read now: try again in a moment"


def told_to_all(error: Exception, *folders: Path) -> str:
    """An error for everybody to read, without paths of these folders or others."""
    if isinstance(error, StoreError):
        return UNREADABLE
    from pips_tourney.reports.own_records import without_folders  # imported with records, only after an error

    told = str(error)
    for folder in folders:
        told = told.replace(f"{folder}/", "")
    return without_folders(told)


def drawn_aliases(names: Sequence[str]) -> dict[str, str]:
    """`Bot 1`, `Bot 2`, ... by name, in a random order."""
    drawn = [*names]
    secrets.SystemRandom().shuffle(drawn)
    return {name: f"Bot {number}" for number, name in enumerate(drawn, 1)}


@dataclass(frozen=True, slots=True)
class Public:
    """Makes the parts of a report public.

    `aliases` are by name. A bot without an alias keeps its name.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)

    def name(self, bot: str) -> str:
        return self.aliases.get(bot, bot)

    def night(self, night: Json) -> Json:
        """The result of `night_json`, made public."""
        return night | {
            "bots": [*map(self.name, night["bots"])],
            "decided": [],
            "decisions": [],
            "tables": [self._table(table) for table in night["tables"]],
        }

    def matches(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """Rows of the list of matches; of a fault, only seat and kind."""

        def public(faults: Sequence[Sequence[Any]]) -> list[list[Any]]:
            return [[seat, kind, ""] for seat, kind, *_ in faults]

        return [
            [number, match, part, [*map(self.name, bots)], places, scores, public(faults), *rest]
            for number, match, part, bots, places, scores, faults, *rest in rows
        ]

    def match_list(self, rows: Sequence[Json]) -> list[Json]:
        """Rows for programs, without blocks, whose names contain bots' names."""
        return [self.renamed({**row, "block": ""} if self.aliases else row) for row in rows]

    def replay(self, shown: Json) -> Json:
        """One view of a match, whose names and explanations are public already."""
        frames = [
            frame | {"say": f"{shown['names'][frame['fault']['seat']]}: {frame['fault']['kind']}"}
            if "fault" in frame
            else frame
            for frame in shown["frames"]
        ]
        return shown | {"frames": frames}

    def _table(self, table: Json) -> Json:
        withdrawn = table.get("withdrawn", {})
        shown = {
            **table,
            "bots": {bot: self._conduct(conduct) for bot, conduct in table["bots"].items()},
            "notes": [f"{self.name(bot)} was taken out of the night" for bot in withdrawn],
            "withdrawn": dict.fromkeys(withdrawn, ""),
        }
        return {key: part if key in KEPT else self.renamed(part) for key, part in shown.items()}

    def renamed(self, value: Any) -> Any:
        """The value with aliases in place of all strings that are names.

        Keys are replaced too if all of them are names. Sentences are left out.
        """
        match value:
            case dict():
                by_bot = bool(value) and value.keys() <= self.aliases.keys()
                named = self.aliases and not by_bot
                return {
                    self.name(key) if by_bot else key: self.renamed(part)
                    for key, part in value.items()
                    if not (named and key in SENTENCES)
                }
            case list() | tuple():
                return [*map(self.renamed, value)]
            case str():
                return self.name(value)
            case _:
                return value

    def _conduct(self, conduct: Json) -> Json:
        first = {kind: [match, ""] for kind, (match, _) in conduct["first_faults"].items()}
        return conduct | {"first_faults": first}
