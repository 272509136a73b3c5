"""A night for everybody to read.

No paths, no printed lines, no reasons of the organiser, and if wished no names.
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
"""Parts of a table that name no bots, whatever bots are called."""
SENTENCES: Final = frozenset({"why"})
"""Parts that name bots within a sentence: with aliases they are left out."""
UNREADABLE: Final = "the night cannot be read now: try again in a moment"


def told_to_all(error: Exception, *folders: Path) -> str:
    """An error as everybody may read it: without paths, of these folders or others."""
    if isinstance(error, StoreError):
        return UNREADABLE
    from pips_tourney.reports.own_records import without_folders  # with records, when something went wrong

    told = str(error)
    for folder in folders:
        told = told.replace(f"{folder}/", "")
    return without_folders(told)


def drawn_aliases(names: Sequence[str]) -> dict[str, str]:
    """`Bot 1`, `Bot 2`, ... by name, in an order that gives nothing away."""
    drawn = [*names]
    secrets.SystemRandom().shuffle(drawn)
    return {name: f"Bot {number}" for number, name in enumerate(drawn, 1)}


@dataclass(frozen=True, slots=True)
class Public:
    """Makes the parts of a report public.

    `aliases` are by name. A bot without one keeps its name.
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
        """Rows of the list of matches. For a fault: its seat and kind."""

        def public(faults: Sequence[Sequence[Any]]) -> list[list[Any]]:
            return [[seat, kind, ""] for seat, kind, *_ in faults]

        return [
            [number, match, part, [*map(self.name, bots)], places, scores, public(faults), *rest]
            for number, match, part, bots, places, scores, faults, *rest in rows
        ]

    def match_list(self, rows: Sequence[Json]) -> list[Json]:
        """Rows for programs. The name of a block holds its bots' names."""
        return [self.renamed({**row, "block": ""} if self.aliases else row) for row in rows]

    def replay(self, shown: Json) -> Json:
        """One view of a match. Names and explanations in it are public already."""
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
        """The same with aliases for all strings that are names.

        Keys are replaced too where all of them are names. Sentences are left out.
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
