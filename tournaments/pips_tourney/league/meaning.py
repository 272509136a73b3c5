"""Mistakes of a league file whose entries all have the right form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb
from pathlib import Path
from typing import Final

from pips_referee.errors import GameProblem, OptionsError, UnknownGame
from pips_referee.game import get_game
from pips_sdk.model.prompts import PromptError
from pips_tourney.bots.executable import PYTHON_WORDS, BotProblem, sample_of
from pips_tourney.bots.interpreter import REQUIREMENTS
from pips_tourney.league.entries import BotEntry, GameEntry
from pips_tourney.league.file import DEALS, LeagueFile, label_of
from pips_tourney.league.format import StopEntry
from pips_tourney.league.mistakes import Mistake
from pips_tourney.league.suites import SuiteError, house_suites, read_suite
from pips_tourney.schedule.adaptive import whole_turn
from pips_tourney.schedule.league import MAX_TABLES

OF_THE_AUTHOR: Final = ("cwd", "python", "install", "env")
"""Keys that the author decides for a bot on another machine."""


def meaning_mistakes(file: LeagueFile, folder: Path) -> Iterator[Mistake]:
    """Mistakes that no single entry shows."""
    for number, game in enumerate(file.games):
        yield from _game_mistakes(f"games[{number}]", game, file)
    labels = [label_of(game, file.games) for game in file.games]
    for number, label in enumerate(labels):
        if label in labels[:number]:
            yield Mistake(f"games[{number}].label", f"two games would be called {label!r}: give each a label")
    names = [bot.name for bot in file.bots]
    for number, name in enumerate(names):
        if (first := names.index(name)) < number:
            yield Mistake(f"bots[{number}].name", f"{name!r} is the name of bots[{first}] already")
    for number, bot in enumerate(file.bots):
        yield from _bot_mistakes(f"bots[{number}]", bot, file, folder)
    if file.anchor is not None and file.anchor.name not in names:
        yield Mistake("anchor", f"no bot is called {file.anchor.name!r}")
    wrong = [Mistake(where, what) for where, what in _form_mistakes(file)]
    yield from wrong or _suite_mistakes(file, folder)


def _seats(entry: GameEntry) -> int | None:
    """The number of seats at a table. None if the entry is wrong."""
    try:
        game = get_game(entry.name)
        return entry.seats or game.seats(game.options(entry.options))[0]
    except (GameProblem, UnknownGame, OptionsError, TypeError):
        return None


def _game_mistakes(where: str, entry: GameEntry, file: LeagueFile) -> Iterator[Mistake]:
    try:
        game = get_game(entry.name)
        options = game.options(entry.options)
        seats = entry.seats if entry.seats is not None else game.seats(options)[0]
    except (GameProblem, UnknownGame) as error:
        yield Mistake(f"{where}.name", str(error))
        return
    except (OptionsError, TypeError) as error:
        yield Mistake(f"{where}.options", str(error))
        return
    try:
        game.check_seats(options, seats)
    except OptionsError as error:
        yield Mistake(f"{where}.seats", str(error))
        return
    bots = sum(bot.plays(entry.name) for bot in file.bots)
    if bots < seats and file.fill is None:
        have = "1 bot" if bots == 1 else f"{bots} bots"
        yield Mistake(
            f"{where}.seats", f"{entry.name} needs {seats} bots at a table, the league has {have} for it; see `fill`"
        )


def _bot_mistakes(where: str, bot: BotEntry, file: LeagueFile, folder: Path) -> Iterator[Mistake]:
    kinds = [bot.command is not None, bot.sample is not None, bot.remote].count(True)
    if kinds > 1 or (kinds == 0 and bot.model is None):
        yield Mistake(where, f"{bot.name}: give it either a command, a sample or a path, a model, or `remote = true`")
    for entry in OF_THE_AUTHOR if bot.remote else ():
        if entry in bot.model_fields_set:
            yield Mistake(f"{where}.{entry}", f"{bot.name} runs on another machine, where its author decides this")
    yield from _model_mistakes(where, bot, folder)
    if bot.cwd is not None and not (folder / bot.cwd).is_dir() and not bot.optional:
        yield Mistake(f"{where}.cwd", f"{bot.cwd} is no folder")
    if bot.python is not None and (bot.command is None or bot.command[0] not in PYTHON_WORDS):
        yield Mistake(f"{where}.python", f"{bot.name}: its command does not begin with `python`")
    if bot.install and not bot.optional and (bot.cwd is None or not (folder / bot.cwd / REQUIREMENTS).is_file()):
        yield Mistake(f"{where}.install", f"{bot.name}: there is no {REQUIREMENTS} in its folder (`cwd`)")
    games = list(dict.fromkeys(game.name for game in file.games))
    for name in bot.games or []:
        if name not in games and not (bot.optional or bot.submitted):  # its author may have meant other leagues
            yield Mistake(f"{where}.games", f"{name!r} is not played here; the league has {', '.join(games)}")
    if bot.sample is not None:
        for game in filter(bot.plays, games):
            try:
                sample_of(bot.sample, game)
            except BotProblem as error:
                yield Mistake(f"{where}.sample", str(error))
            except UnknownGame:
                continue


def _model_mistakes(where: str, bot: BotEntry, folder: Path) -> Iterator[Mistake]:
    """Mistakes in a bot's model, as far as this machine can tell."""
    model = bot.model
    if model is None:
        return
    if bot.remote or bot.sample is not None or bot.protocol == "lines":
        other = "`remote = true`" if bot.remote else "a sample" if bot.sample is not None else '`protocol = "lines"`'
        yield Mistake(
            f"{where}.model", f"{bot.name}: a model goes with a command in Python, or stands alone, not with {other}"
        )
    try:
        model.settings(folder, 0)
    except PromptError as error:
        yield Mistake(f"{where}.model.prompts", str(error))
    if model.max_cost is not None and not model.price_in and not model.price_out:
        yield Mistake(
            f"{where}.model.max_cost", "there are no prices: give `price_in` and `price_out` per million tokens"
        )
    if wrong := [name for name in ("messages", "model", "n", "stream") if name in model.params]:
        yield Mistake(f"{where}.model.params", f"{wrong[0]} is set by the proxy")


def engine_mistakes(file: LeagueFile, folder: Path) -> Iterator[Mistake]:
    """Mistakes of entries that the engine does not support."""
    if file.engine != "local":
        if not file.scheduler:
            what = 'give its address, such as "tls://HOST:8786"; one machine plays with engine = "local" and `arenas`'
            yield Mistake("scheduler", what)
        for number, bot in enumerate(file.bots):
            if bot.remote:
                yield Mistake(f"bots[{number}].remote", 'bots on other machines are for a league with engine = "local"')
            if bot.model is not None:
                yield Mistake(f"bots[{number}].model", 'bots that ask a model are for a league with engine = "local"')
    else:
        for entry in ("scheduler", "tls"):
            if getattr(file, entry) is not None:
                yield Mistake(entry, 'is for a league with engine = "dask"')
    for name, place in () if file.tls is None else file.tls:
        if not (folder / place).is_file():
            yield Mistake(f"tls.{name}", f"there is no file {place}")


def _suite_mistakes(file: LeagueFile, folder: Path) -> Iterator[Mistake]:
    """Mistakes of the suite: it is missing, or not long enough."""
    if file.suite is None:
        return
    try:
        deals = read_suite(file.suite, folder)
    except SuiteError as error:
        yield Mistake("deals.suite", str(error))
        return
    for number, game in enumerate(file.games):
        if (seats := _seats(game)) is None:
            continue
        bots = max(seats, sum(bot.plays(game.name) for bot in file.bots))
        form, count = file.form_of(game), file.deals_of(game)
        needed, main = form.all_deals(bots, seats, count), form.main_deals(bots, seats, count)
        if needed > len(deals):
            where = "stop.max_deals" if file.stop else f"games[{number}].deals" if game.deals else "deals.count"
            rounds = f"{main // count} rounds of {count}" if main > count else str(main)
            final = f" and {needed - main} in the final" if needed > main else ""
            how = f"{needed} ({rounds}{final})" if needed > count else str(needed)
            what = f"{how}, but the suite {file.suite!r} has {len(deals)} deals: {_more_deals(file, needed, folder)}"
            yield Mistake(where, what)


def _more_deals(file: LeagueFile, needed: int, folder: Path) -> str:
    """What to write in a league file that needs more deals than its suite has."""
    drawn = "leave the suite out" if file.stop else f"write `deals = {(file.deals and file.deals.count) or DEALS}`"
    sizes = sorted((len(read_suite(name, folder)), name) for name in house_suites())
    longer = (f", or name the suite {name!r}, which has {size}" for size, name in sizes if size >= needed)
    return f"{drawn} to draw them{next(longer, '')}"


def _form_mistakes(file: LeagueFile) -> Iterator[tuple[str, str]]:
    """Mistakes of schedule, final and stop: the entry, and the problem."""
    final, stop, kind = file.final, file.stop, file.schedule.name
    seats_of = {game.name: seats for game in file.games if (seats := _seats(game)) is not None}
    yield from _schedule_mistakes(file, seats_of)
    if stop is not None:
        if kind in ("swiss", "knockout"):
            yield "stop", f"a {kind} tournament ends with its last round; stop is for round-robin and gauntlet"
        if stop.matches is not None and stop.deals == "equal":
            yield "stop.matches", 'a number of matches is for deals = "adaptive"'
        yield from _budget_mistakes(file, stop, seats_of)
        counts = [("deals.count", file.deals and file.deals.count)]
        counts += [(f"games[{number}].deals", game.deals) for number, game in enumerate(file.games)]
        for where in (where for where, count in counts if count is not None):
            yield where, "with stop it is max_deals that says how many deals are played at most: leave this out"
    if final is not None:
        if kind == "knockout":
            yield "final", "a knockout is its own final"
        for game, seats in seats_of.items():
            if final.bots is not None and final.bots < seats:
                yield "final.bots", f"{game} needs {seats} bots at a table, not {final.bots}"
        yield from _advance_mistakes("final.advance", final.advance, seats_of)


def _budget_mistakes(file: LeagueFile, stop: StopEntry, seats_of: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    hero, duplicate = file.schedule.hero is not None, file.plays_duplicate
    for game, seats in seats_of.items() if stop.matches is not None else ():
        combinations = min(comb(max(len({bot.name for bot in file.bots}), seats) - hero, seats - hero), MAX_TABLES)
        least = combinations * (seats if duplicate else 1) * whole_turn(seats, duplicate=duplicate)
        if stop.matches is not None and stop.matches < least:
            yield "stop.matches", f"too few: every order at every table of {game} takes {least}"


def _schedule_mistakes(file: LeagueFile, seats_of: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    schedule, bots = file.schedule, {bot.name: bot for bot in file.bots}
    for entry, kind in (("hero", "gauntlet"), ("rounds", "swiss"), ("advance", "knockout")):
        if getattr(schedule, entry) is not None and schedule.name != kind:
            yield f"schedule.{entry}", f"only a {kind} has this entry, not a {schedule.name}"
    if schedule.name == "gauntlet":
        if schedule.hero is None:
            yield "schedule.hero", 'a gauntlet needs one: schedule = { name = "gauntlet", hero = "BOT" }'
        elif schedule.hero not in bots:
            yield "schedule.hero", f"no bot is called {schedule.hero!r}"
        elif not all(map(bots[schedule.hero].plays, seats_of)):
            yield "schedule.hero", f"{schedule.hero} does not play all games of the league"
    if schedule.name == "knockout":
        yield from _advance_mistakes("schedule.advance", schedule.advance, seats_of)


def _advance_mistakes(where: str, advance: int | None, seats: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for game, size in seats.items():
        if advance is not None and advance >= size:
            yield where, f"of a table of {game}, {size} bots, from 1 to {size - 1} can go on, not {advance}"
