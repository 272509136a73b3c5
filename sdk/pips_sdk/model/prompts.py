"""The templates for a model's prompts: three files that a league may replace.

- `system.txt` comes first: `$game` is the game's name, `$rules` its numbered rules.
- `question.txt` asks: `$question` is the text of `pips_sdk.text.prompt`.
- `again.txt` follows a reply that was no answer: `$why` says what was wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from pips_referee.written import written_text

OWN: Final = Path(__file__).with_name("prompts")
"""The folder of the default templates."""
MOST_CHARACTERS: Final = 100_000
"""The most characters of a template."""
_KNOWN: Final = {"system": {"game", "rules"}, "question": {"question"}, "again": {"why"}}


class PromptError(ValueError):
    """An unusable template; the text says which and why."""


class Prompts(NamedTuple):
    """The three templates."""

    system: str
    question: str
    again: str

    def filled(self, part: str, **values: str) -> str:
        """A template with its values filled in, without blanks at either end."""
        return Template(getattr(self, part)).substitute(values).strip()

    def as_json(self) -> Mapping[str, str]:
        return self._asdict()


def read_prompts(folder: Path = OWN) -> Prompts:
    """The templates in a folder; our own replace missing files.

    `PromptError` for a file that cannot be read, and for a `$name` that is unknown in
    that template.
    """
    if not folder.is_dir():
        raise PromptError(f"there is no folder {folder} of prompts")
    return Prompts(*(_read(folder, part) for part in Prompts._fields))


def _read(folder: Path, part: str) -> str:
    file = folder / f"{part}.txt"
    if not file.is_file():
        file = OWN / f"{part}.txt"
    try:
        text = written_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{file} cannot be read: {error}") from None
    if len(text) > MOST_CHARACTERS:
        raise PromptError(f"{file} has {len(text)} characters, and may have {MOST_CHARACTERS}")
    template, known = Template(text), _KNOWN[part]
    if not template.is_valid():
        raise PromptError(f"{file}: a `$` begins a name; write `$$` for the sign itself")
    if unknown := set(template.get_identifiers()) - known:
        names = ", ".join(f"${name}" for name in sorted(known))
        raise PromptError(f"{file}: there is no value for ${min(unknown)}; there is {names}")
    return text
