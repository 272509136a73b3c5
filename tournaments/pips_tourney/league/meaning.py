"""Mistakes of a league file whose entries all have the right form."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pips_referee.errors import OptionsError, UnknownGame
from pips_referee.game import get_game
from pips_referee.value import value
from pips_tourney.bots.executable import PYTHON_WORDS, ProgramError, sample_of
from pips_tourney.bots.interpreter import REQUIREMENTS
from pips_tourney.league.entries import AnchorEntry, BotEntry, DealsEntry, GameEntry
from pips_tourney.league.file import LeagueFile, label_of, plays_duplicate
from pips_tourney.league.format import Entered, FinalEntry, ScheduleEntry, Section, StopEntry, by_name, form_mistakes
from pips_tourney.league.mistakes import Mistake
from pips_tourney.league.model_bots import model_mistakes
from pips_tourney.league.remote import remote_mistakes
from pips_tourney.league.suites import SuiteError, read_suite


@value
class _Formed:
    """The entries with the right form, by their place in the file.

    Their meaning can be checked.
    """

    games: Mapping[int, GameEntry]
    bots: Mapping[int, BotEntry]
    names: Sequence[str | None]
    away: Mapping[str, int]
    """By game, how many bots do not play it."""
    deals: DealsEntry | None
    anchor: AnchorEntry | None
    fill: bool
    form: Entered


def _well_formed(raw: Mapping[str, Any]) -> _Formed:
    def entries(key: str, kind: type[Section]) -> dict[int, Any]:
        listed = raw.get(key) if isinstance(raw.get(key), list) else []
        return {n: entry for n, value in enumerate(listed or []) if (entry := _form(kind, value)) is not None}

    bots = raw.get("bots") if isinstance(raw.get("bots"), list) else []
    names = [bot.get("name") if isinstance(bot, dict) else None for bot in bots or []]
    games, formed_bots = entries("games", GameEntry), entries("bots", BotEntry)
    return _Formed(
        games,
        formed_bots,
        [name if isinstance(name, str) else None for name in names],
        {game.name: sum(not bot.plays(game.name) for bot in formed_bots.values()) for game in games.values()},
        _form(DealsEntry, raw["deals"]) if "deals" in raw else None,
        _form(AnchorEntry, raw["anchor"]) if "anchor" in raw else None,
        "fill" in raw,
        _entered(raw, games, formed_bots.values()),
    )


def _entered(raw: Mapping[str, Any], games: Mapping[int, GameEntry], bots: Collection[BotEntry]) -> Entered:
    def entry(key: str, kind: type[Section]) -> Any:
        return _form(kind, raw[key]) if key in raw else None

    deals = entry("deals", DealsEntry)
    counts = [f"games[{number}].deals" for number, game in games.items() if game.deals is not None]
    names = {game.name for game in games.values()}
    return Entered(
        entry("schedule", ScheduleEntry),
        entry("final", FinalEntry),
        entry("stop", StopEntry),
        {bot.name: sum(map(bot.plays, names)) for bot in bots},
        {game.name: seats for game in games.values() if (seats := _seats(game)) is not None},
        (*(["deals.count"] if deals is not None and deals.count is not None else []), *counts),
        plays_duplicate(raw.get("duplicate"), bots),
    )


def _seats(entry: GameEntry) -> int | None:
    """The seats of a table. None where the entry is wrong."""
    try:
        game = get_game(entry.name)
        return entry.seats or game.seats(game.options(entry.options))[0]
    except (UnknownGame, OptionsError, TypeError):
        return None


def _form(kind: type[Section], value: object) -> Any:
    try:
        return TypeAdapter(kind).validate_python(value if kind is DealsEntry else by_name(value))
    except ValidationError:
        return None


def meaning_mistakes(raw: Mapping[str, Any], folder: Path) -> Iterator[Mistake]:
    """Mistakes that no single entry shows, among entries with the right form."""
    formed = _well_formed(raw)
    for number, game in formed.games.items():
        yield from _game_mistakes(f"games[{number}]", game, formed)
    labels = [label_of(game, formed.games.values()) for game in formed.games.values()]
    for at, (number, label) in enumerate(zip(formed.games, labels, strict=True)):
        if label in labels[:at]:
            yield Mistake(f"games[{number}].label", f"two games would be called {label!r}: give each a label")
    for number, name in enumerate(formed.names):
        if name is not None and (first := formed.names.index(name)) < number:
            yield Mistake(f"bots[{number}].name", f"{name!r} is the name of bots[{first}] already")
    for number, bot in formed.bots.items():
        yield from _bot_mistakes(f"bots[{number}]", bot, formed, folder)
    if formed.anchor is not None and formed.anchor.name not in formed.names:
        yield Mistake("anchor", f"no bot is called {formed.anchor.name!r}")
    wrong = [Mistake(where, what) for where, what in form_mistakes(formed.form)]
    yield from wrong or _suite_mistakes(formed, folder)


def _game_mistakes(where: str, entry: GameEntry, formed: _Formed) -> Iterator[Mistake]:
    try:
        game = get_game(entry.name)
        options = game.options(entry.options)
    except UnknownGame as error:
        yield Mistake(f"{where}.name", str(error))
        return
    except (OptionsError, TypeError) as error:
        yield Mistake(f"{where}.options", str(error))
        return
    seats = entry.seats if entry.seats is not None else game.seats(options)[0]
    try:
        game.check_seats(options, seats)
    except OptionsError as error:
        yield Mistake(f"{where}.seats", str(error))
        return
    bots = len(formed.names) - formed.away[entry.name]
    if bots < seats and not formed.fill:
        have = "1 bot" if bots == 1 else f"{bots} bots"
        yield Mistake(
            f"{where}.seats", f"{entry.name} needs {seats} bots at a table, the league has {have} for it; see `fill`"
        )


def _bot_mistakes(where: str, bot: BotEntry, formed: _Formed, folder: Path) -> Iterator[Mistake]:
    kinds = [bot.command is not None, bot.sample is not None, bot.remote].count(True)
    if kinds > 1 or (kinds == 0 and bot.model is None):
        yield Mistake(where, f"{bot.name}: give it either a command, a sample or a path, a model, or `remote = true`")
    yield from (Mistake(*found) for found in remote_mistakes(where, bot))
    yield from (Mistake(*found) for found in model_mistakes(where, bot, folder))
    if bot.cwd is not None and not (folder / bot.cwd).is_dir() and not bot.optional:
        yield Mistake(f"{where}.cwd", f"{bot.cwd} is no folder")
    if bot.python is not None and (bot.command is None or bot.command[0] not in PYTHON_WORDS):
        yield Mistake(f"{where}.python", f"{bot.name}: its command does not begin with `python`")
    if bot.install and not bot.optional and (bot.cwd is None or not (folder / bot.cwd / REQUIREMENTS).is_file()):
        yield Mistake(f"{where}.install", f"{bot.name}: there is no {REQUIREMENTS} in its folder (`cwd`)")
    games = list(dict.fromkeys(game.name for game in formed.games.values()))
    for name in bot.games or []:
        if name not in games and not (bot.optional or bot.submitted):  # its author wrote that for other leagues too
            yield Mistake(f"{where}.games", f"{name!r} is not played here; the league has {', '.join(games)}")
    if bot.sample is not None:
        for game in filter(bot.plays, games):
            try:
                sample_of(bot.sample, game)
            except ProgramError as error:
                yield Mistake(f"{where}.sample", str(error))
            except UnknownGame:
                continue


def engine_mistakes(file: LeagueFile, folder: Path) -> Iterator[Mistake]:
    """Mistakes of entries that do not go with the engine."""
    if file.engine != "local":
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


def _suite_mistakes(formed: _Formed, folder: Path) -> Iterator[Mistake]:
    """Mistakes of the suite: it is not there, or not long enough."""
    entries = {"schedule": formed.form.schedule, "stop": formed.form.stop, "final": formed.form.final}
    known: dict[str, Any] = {key: entry for key, entry in entries.items() if entry is not None}
    file = LeagueFile.model_construct(None, deals=formed.deals, bots=list(formed.bots.values()), **known)
    if file.suite is None:
        return
    try:
        deals = read_suite(file.suite, folder)
    except SuiteError as error:
        yield Mistake("deals.suite", str(error))
        return
    for number, game in formed.games.items():
        if (seats := _seats(game)) is None:
            continue
        bots = max(seats, sum(bot.plays(game.name) for bot in formed.bots.values()))
        needed = file.form_of(game).all_deals(bots, seats, file.deals_of(game))
        if needed > len(deals):
            where = "stop.max_deals" if file.stop else f"games[{number}].deals" if game.deals else "deals.count"
            yield Mistake(where, f"{needed}, but the suite {file.suite!r} has {len(deals)} deals")
