"""A new game's folder: a package that can be played at once, with rules and tests."""

from __future__ import annotations

import keyword
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pips_referee.installed import NAME, REGISTRY
from pips_tourney.bots.found import BotProblem
from pips_tourney.workshop.begin.new_bot import TEMPLATES

_TEMPLATE: Final = TEMPLATES / "game"


def new_game(folder: Path) -> list[Path]:
    """Write the folder of a new game; return its files.

    Raises `BotProblem` if its name cannot be used, or if the folder has files already.
    """
    name = folder.name
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name in sys.stdlib_module_names:
        raise BotProblem(
            f"{name!r} cannot be the name of a game: use small letters, digits and _, and no word of Python's"
        )
    if name in REGISTRY or find_spec(name) is not None:
        raise BotProblem(f"there is a game or a package named {name} already: give yours another name")
    if folder.exists():
        raise BotProblem(f"{folder} is there already, and nothing is written over: give the game another name")
    title = name.replace("_", " ").capitalize()
    camel = "".join(part.capitalize() for part in name.split("_"))
    written = []
    for file in sorted(_TEMPLATE.glob("*.*")):
        inside = folder / name if file.name in {"my_game.py", "RULES.md"} else folder
        to = inside / ("__init__.py" if file.name == "my_game.py" else file.name.replace("my_game", name))
        text = file.read_text(encoding="utf-8")
        for word, becomes in {"MyGame": camel, "my_game": name, "GAME_TITLE": title}.items():
            text = text.replace(word, becomes)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8", newline="\n")
        written.append(to)
    return written
