"""Kits: the languages for new bots that speak JSON lines.

A kit is a folder with a bot for all games. Its files are copied as they are; only the
list of games is replaced.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pips_sdk
import pips_tourney
from pips_sdk.lines.source.cpp import header
from pips_sdk.lines.source.java import source

TEMPLATES: Final = Path(pips_sdk.__file__).with_name("templates") / "lines"
_BUILT: Final = frozenset({".class", ".exe"})
"""Suffixes of files that a build leaves in a kit's folder."""
_GAMES: Final = re.compile(r"^games = .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Kit:
    """The needs of a language."""

    language: str
    """The language's name, for people."""
    tools: Mapping[str, str]
    """The programs that the language needs, each with its Debian package."""
    build: str = ""
    """The command that builds the bot; "" if nothing is built."""
    generated: Mapping[str, Callable[[], str]] | None = None
    """By name, files that are generated for each new bot."""


KITS: Final[Mapping[str, Kit]] = {
    "cpp": Kit("C++", {"g++": "g++"}, "g++ -std=c++17 -O2 -o bot bot.cpp", {"pips.hpp": header}),
    "go": Kit("Go", {"go": "golang-go"}, "go build -o bot bot.go"),
    "java": Kit("Java", {"javac": "default-jdk-headless"}, "javac Bot.java", {"Pips.java": source}),
    "rust": Kit("Rust", {"rustc": "rustc"}, "rustc -O -o bot bot.rs"),
    "shell": Kit("shell with jq", {"jq": "jq"}),
}
"""By the value of `--language`."""


def kit_folder(language: str) -> Path:
    """Return the folder of a kit, in this package or in a checkout beside it."""
    package = Path(pips_tourney.__file__).parent
    places = (TEMPLATES, package / "languages", package.parents[1] / "sample_bots" / "languages")
    return next(place / language for place in places if (place / language / "bot.toml").is_file())


def own_files(language: str) -> list[Path]:
    """Return a kit's files by name, without hidden files and products of a build."""
    files = sorted(kit_folder(language).glob("*.*"))
    return [file for file in files if file.name[0] != "." and file.suffix not in _BUILT]


def kit_files(language: str, game: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of a new bot's files; the README is still a template."""
    for file in own_files(language):
        text = file.read_text(encoding="utf-8")
        yield file.name, _GAMES.sub(f'games = ["{game}"]', text) if file.name == "bot.toml" else text
    for name, written in (KITS[language].generated or {}).items():
        yield name, written()
    yield "README.md", (TEMPLATES / "README.md").read_text(encoding="utf-8")


def words_of(language: str) -> dict[str, str]:
    """Return the placeholders of the README, with their replacements."""
    kit = KITS[language]
    building = f"\nBuild it, in its folder:\n\n```\n{kit.build}\n```\n" if kit.build else ""
    [source, *_] = [file.name for file in own_files(language) if file.stem in ("bot", "Bot") and file.suffix != ".toml"]
    return {"LANGUAGE": kit.language, "SOURCE": source, "BUILDING\n": f"{building}\n"}


def tools_missing(language: str) -> str:
    """Return a sentence about what the kit needs and this machine lacks, or ""."""
    kit = KITS[language]
    missing = [tool for tool in kit.tools if shutil.which(tool) is None]
    if not missing:
        return ""
    packages = " ".join(kit.tools[tool] for tool in missing)
    return f"It needs {' and '.join(missing)}, which this machine does not have. On Debian: apt-get install {packages}"
