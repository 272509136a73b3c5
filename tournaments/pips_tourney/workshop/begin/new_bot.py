"""A new bot's folder, from the SDK's templates.

It has the bot, a test for it, and a README. It runs as it is.
"""

from __future__ import annotations

import json
import keyword
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import pips_sdk
from pips_referee.game import get_game
from pips_sdk.samples import sample_files, usual_sample
from pips_tourney.bots.find import sample_names
from pips_tourney.bots.found import BotProblem
from pips_tourney.workshop.begin.kits import KITS, kit_files, tools_missing, words_of

TEMPLATES: Final = Path(pips_sdk.__file__).with_name("templates")
_SDKS: Final = ("js", "python")
"""Languages with an SDK that speaks gRPC; the languages of kits use JSON lines."""
JS_COPY: Final = "pips-sdk"
"""The folder beside a bot for a copy of a JavaScript SDK that cannot be linked yet."""
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_HOUSE: Final = {"grpc", "numpy", "pips", "pips_referee", "pips_sdk", "pips_sample_bots", "pips_tourney", "pytest"}


def languages() -> list[str]:
    """The languages for new bots."""
    return sorted({*_SDKS, *KITS})


def new_bot(folder: Path, game: str, language: str) -> list[Path]:
    """Write the folder of a new bot; returns its files.

    Raises `BotProblem` if its name cannot be used, or if the folder has files already.
    """
    name = folder.name
    _check_name(name, language)
    if folder.exists():
        raise BotProblem(f"{folder} is there already, and nothing is written over: give the bot another name")
    words = {
        "MyBot": class_name(name, game), "my_bot": name, "GAME_TITLE": get_game(game).title,
        "GAME_CLASS": game.capitalize(), "GAME": game, "first_kind": get_game(game).kinds[0],
        "every_kind": ", ".join(get_game(game).kinds), "USUAL_SAMPLE": usual_sample(game),
        "SAMPLE_NAMES": ", ".join([f"`{sample}`" for sample in sample_files(game)]),
        "JS_SDK": js_sdk().as_posix() if _is_ready(js_sdk()) else JS_COPY,
    }  # fmt: skip
    files = _sdk_files(language, game)
    if language in KITS:
        files, words = kit_files(language, game), words | words_of(language)
    texts = {file.replace("my_bot", name): text for file, text in files}
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise BotProblem(f"the folder {folder} cannot be made: {error.strerror}; make the bot elsewhere") from None
    for file, text in texts.items():
        (folder / file).write_text(_filled_in(text, words), encoding="utf-8", newline="\n")
    if language == "js" and _is_ready(js_sdk()):
        _link_js_sdk(folder)
    elif language == "js":
        copy_js_sdk(folder / JS_COPY)
    return [folder / file for file in sorted(texts)]


def _filled_in(text: str, words: Mapping[str, str]) -> str:
    for word, becomes in words.items():
        text = text.replace(word, becomes)
    return text


def _sdk_files(language: str, game: str) -> Iterator[tuple[str, str]]:
    """The files for all games, then the game's own files or those for any game.

    A game has its own files in `templates/python` or `templates/js` in its package.
    """
    template = TEMPLATES / language
    folders = (get_game(game).room / "templates" / language, template / game, template / "any")
    own = next(folder for folder in folders if folder.is_dir())
    for file in [*template.glob("*.*"), *own.glob("*.*")]:
        yield file.name, file.read_text(encoding="utf-8")


def js_sdk() -> Path:
    """The folder of the JavaScript SDK.

    It is within this package, or beside it in a checkout.
    """
    package = Path(pips_sdk.__file__).parent
    return next(folder for folder in (package / "js", package.parent / "js") if (folder / "package.json").is_file())


def build_command(language: str) -> str:
    """The command that builds a new bot in its folder; "" if none is needed."""
    return KITS[language].build if language in KITS else ""


def what_is_missing(language: str, folder: Path) -> str:
    """What a new bot needs and this machine lacks, as a sentence; "" for nothing."""
    if language in KITS:
        return tools_missing(language)
    if language != "js":
        return ""
    if shutil.which("node") is None:
        return "It needs Node 18 or later, and node is not installed on this machine."
    if not (folder / "node_modules").is_dir():
        return f"It needs some packages, once: npm install --prefix {shlex.quote(str(folder))}"
    return ""


def _is_ready(sdk: Path) -> bool:
    """Whether the packages that the JavaScript SDK needs are installed."""
    return (sdk / "node_modules").is_dir()


def copy_js_sdk(folder: Path) -> None:
    """Copy the SDK and the contract beside the bot, for `npm install` in its folder.

    An installed package may be read-only, and npm installs nothing for a folder outside
    the bot's folder.
    """
    sdk = js_sdk()
    contract = next(place for place in (sdk.parents[1] / "proto", sdk.parents[1]) if (place / "pips" / "v1").is_dir())
    (folder / "pips" / "v1").mkdir(parents=True)
    for file in sdk.glob("*.js"):
        shutil.copy(file, folder)
    package = json.loads((sdk / "package.json").read_text(encoding="utf-8"))
    del package["devDependencies"]
    (folder / "package.json").write_text(f"{json.dumps(package, indent=2)}\n", encoding="utf-8")
    for file in (contract / "pips" / "v1").glob("*.proto"):
        shutil.copy(file, folder / "pips" / "v1")


def _link_js_sdk(folder: Path) -> None:
    """Link the SDK, as `npm install` links a folder named as a dependency.

    If links are not allowed, that is left to npm.
    """
    modules = folder / "node_modules"
    modules.mkdir()
    with suppress(OSError):
        (modules / "pips-sdk").symlink_to(js_sdk(), target_is_directory=True)


def class_name(name: str, game: str) -> str:
    """The name of a bot's class: `MyBot` for `my_bot`.

    `My` is added in front of a name that is the base class's.
    """
    camel = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return f"My{camel}" if camel in (f"{game.capitalize()}Bot", f"{game.capitalize()}View") else camel


def _check_name(name: str, language: str) -> None:
    if not NAME.fullmatch(name):
        tame = re.sub(r"\W+|_+", "_", name, flags=re.ASCII).strip("_").lower()
        better = f", such as {tame}" if NAME.fullmatch(tame) else ""
        raise BotProblem(
            f"{name!r} cannot be the name of a module: use small letters, digits and _, a letter first{better}"
        )
    if language == "python" and keyword.iskeyword(name):
        raise BotProblem(f"{name} is a word of Python's own: give the bot another name, such as {name}_bot")
    if language == "python" and name in sys.stdlib_module_names | _HOUSE:
        raise BotProblem(
            f"a file {name}.py would hide the module {name} that Python needs: "
            f"give the bot another name, such as {name}_bot"
        )
    if name in sample_names():
        raise BotProblem(f"{name} is the name of a sample bot: give yours another, such as my_{name}")
