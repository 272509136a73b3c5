"""Run the bots of a file: `python -m pips_sdk.run_file my_bot.py`.

The file needs no `run(MyBot)`, but may have one. `load_bots` loads a file without
playing. Any error in it becomes a `StartError` that says what happened, where, and what
to do. `--describe` lists the bots as JSON instead of playing.
"""

from __future__ import annotations

import json
import sys
import traceback
from contextlib import chdir, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Final

from pips_referee.game import REGISTRY, get_game
from pips_sdk._runtime.hints import hints
from pips_sdk._runtime.own_modules import own_modules
from pips_sdk._runtime.start import StartError, bots_of_run
from pips_sdk.bot import Bot, GameBot
from pips_sdk.runner import run

DESCRIBE: Final = "--describe"
INSTALL: Final = "Fix the name of the module, or install it into the Python that runs the bot: "


def load_bots(file: Path) -> tuple[type[Bot], ...]:
    """The file's bot classes, at most one per game.

    They are those passed to `run`, or otherwise those it defines. The file is executed
    as Python would: its name is `__main__`, and its folder is first in `sys.path`. But
    the working directory is that folder, as in a league, and its output goes to stderr.
    The modules beside it are its own: the next bot's modules may have the same names.
    """
    module, before = ModuleType("__main__"), sys.modules["__main__"]
    with own_modules(file.resolve().parent).here():
        sys.modules["__main__"] = module
        try:
            return _load(file, module)
        finally:
            sys.modules["__main__"] = before


def _load(file: Path, module: ModuleType) -> tuple[type[Bot], ...]:
    try:
        source = file.read_bytes()
    except OSError as error:
        raise StartError(f"{file} cannot be read: {error.strerror}") from None
    module.__file__ = str(file.absolute())
    folder = str(file.resolve().parent)
    if sys.path[0] != folder:
        sys.path.insert(0, folder)
    try:
        code = compile(source, str(file), "exec")
        with bots_of_run() as started, redirect_stdout(sys.stderr), chdir(file.absolute().parent):
            exec(code, module.__dict__)  # noqa: S102 - a bot's file is meant to be run
    except SyntaxError as error:
        raise StartError(_unreadable(file, error)) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the author reads what the file raised
        raise StartError(_raised(file, error)) from None
    return tuple(dict.fromkeys(started)) or _defined(file, module)


def _defined(file: Path, module: ModuleType) -> tuple[type[Bot], ...]:
    """The bot classes of a file without `run`, except those with subclasses in it."""
    classes = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == "__main__"]
    bots = [value for value in dict.fromkeys(classes) if issubclass(value, Bot)]
    last = [bot for bot in bots if bot.game and not any(other is not bot and issubclass(other, bot) for other in bots)]
    if not last:
        raise StartError(_no_bot(file, bots, [value.__name__ for value in classes]))
    for bot in last:
        same = [other.__name__ for other in last if other.game == bot.game]
        if len(same) > 1:
            raise StartError(
                f"{file} has {len(same)} bots for {bot.game}: {' and '.join(same)}. "
                f"Say at its end which one plays, for example: run({same[0]})"
            )
    return tuple(last)


def _no_bot(file: Path, bots: list[type[Bot]], classes: list[str]) -> str:
    bases = [*(base for game in REGISTRY if (base := _base(game)) is not None), GameBot]
    names = [base.__name__ for base in bases]
    if bots:
        what = f"{bots[0].__name__} in {file} derives from Bot itself, which plays no game."
    elif classes:
        what = f"{file} has no bot class: {' and '.join(classes)} derives from none of a game."
    else:
        what = f"{file} has no bot class."
    return (
        f"{what} A bot derives from {', '.join(names[:-1])} or {names[-1]}, for example:\n"
        f"    from {bases[0].__module__} import {names[0]}\n\n"
        f"    class MyBot({names[0]}):\n        ..."
    )


def _base(game: str) -> type[Bot] | None:
    """The base class for bots of this game, if the game has one."""
    module = get_game(game).part("bot")
    bases = [value for value in vars(module).values() if isinstance(value, type)] if module else []
    return next((base for base in bases if issubclass(base, Bot) and base.game), None)


def _unreadable(file: Path, error: SyntaxError) -> str:
    text = (error.text or "").rstrip("\n")
    shown = f"\n    {text.strip()}" if text.strip() else ""
    if shown and error.offset:
        column = error.offset - 1 - (len(text) - len(text.lstrip()))
        shown += f"\n    {' ' * max(0, column)}^"
    where = f"{error.filename}, line {error.lineno}" if error.lineno else str(file)
    return f"{where}: Python cannot read this: {error.msg}{shown}\nFix that line, or the one above it."


def _raised(file: Path, error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    where = f"{file}, line {frames[-1].lineno}" if frames else str(file)
    if isinstance(error, StartError):
        return f"{where}: {error}"
    line = f"\n    {frames[-1].line}" if frames else ""
    if isinstance(error, SystemExit):
        return f"{where}: the file ends the program while it is read.{line}\nA bot goes on until `run` is done with it."
    what = f"{where}: {type(error).__name__}: {error}{line}\n"
    if isinstance(error, ModuleNotFoundError):
        return f"{what}{INSTALL}{sys.executable}"
    if isinstance(error, ImportError) and "relative import" in str(error):
        return f"{what}The file is in no package: import what lies beside it without the dot."
    return f"{what}It was raised when the file was read, before any match."


def main(arguments: list[str]) -> None:
    """Run or describe the bots in the named file."""
    *options, name = arguments
    sys.argv = [name]
    module = sys.modules["__main__"] = ModuleType("__main__")
    try:
        bots = _load(Path(name), module)
    except StartError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    if options == [DESCRIBE]:
        print(json.dumps([{"name": bot.__name__, "game": bot.game, "hints": hints(bot)} for bot in bots]))
    else:
        run(*bots)


if __name__ == "__main__":
    main(sys.argv[1:])
