"""League files (TOML): read, checked, and all mistakes listed at once with their place in the file."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from pips_referee.errors import OptionsError, UnknownGame
from pips_referee.game import get_game
from pips_tourney.deals import SuiteError, read_suite
from pips_tourney.environment import REQUIREMENTS, InstallError, Interpreter, interpreter
from pips_tourney.errors import TourneyError
from pips_tourney.form import (
    Entered,
    FinalEntry,
    Form,
    Knockout,
    Part,
    ScheduleEntry,
    Stop,
    StopEntry,
    Whole,
    by_name,
    form_mistakes,
)
from pips_tourney.limits import Limits
from pips_tourney.program import (
    PYTHON_WORDS,
    Program,
    ProgramError,
    files_below,
    files_named,
    fingerprint,
    places_named,
    program,
    sample_of,
    sample_program,
)
from pips_tourney.sandbox import Sandbox, Tier, choose
from pips_tourney.schedule import MAX_TABLES
from pips_tourney.submissions import PATH, roster

MOST_MS: Final = 3_600_000
DEALS: Final = 20
MOST_FINAL_DEALS: Final = 100
STATIC: Final = ("round-robin", "gauntlet")


class Mistake(NamedTuple):
    """What is wrong and where in the file, such as `bots[2].command`."""

    where: str
    what: str


class LeagueError(TourneyError):
    """A league file that cannot be played; `mistakes` holds every one of them."""

    def __init__(self, path: Path, mistakes: Sequence[Mistake]) -> None:
        self.path = path
        self.mistakes = tuple(mistakes)
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        super().__init__("\n".join([f"{path}: {count}", *(f"  {where}: {what}" for where, what in mistakes)]))


def _split(value: object) -> object:
    return shlex.split(value) if isinstance(value, str) else value


Words = Annotated[list[str], BeforeValidator(_split), Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}$")]


class GameEntry(Part):
    """A game of the league; in the file also just its name."""

    name: str
    seats: Whole | None = Field(default=None, ge=1)
    """Unset: the fewest the game can be played with."""
    options: dict[str, Any] = Field(default_factory=dict)
    label: Name | None = None
    """What standings call it; needed where one game is played twice with the same seats."""
    deals: Whole | None = Field(default=None, ge=1, le=1_000_000)
    """How many deals every combination of bots plays of it; unset: the `count` of the league's deals."""


class BotEntry(Part):
    """A bot: a command of its own, or one of the sample bots. In the file also a `path`, see submissions.py."""

    name: Name
    command: Words | None = None
    """Words, or one line for a shell's eye. `python` is the interpreter that runs the tournament."""
    sample: str | None = None
    """`greedy`, the sample bot of that name of every game, or `serpent/greedy`."""
    cwd: str | None = None
    """The folder it runs in, from the league file's; all files below it are the bot. Unset: the league file's, and
    the files that the command names are the bot."""
    env: dict[str, str] = Field(default_factory=dict)
    python: str | None = None
    """The interpreter that `python` in its command means. Unset: the one that runs the tournament."""
    install: bool = False
    """Whether the requirements.txt of its folder is installed into an environment of its own."""
    optional: bool = False
    """Whether the night goes on without it when it does not start; those of a pattern are."""
    games: list[str] | None = None
    """The games it plays; unset: all of the league's."""

    def plays(self, game: str) -> bool:
        return self.games is None or game in self.games


class DealsEntry(Part):
    """How many deals every combination of bots plays, and from which suite (unset: drawn from the secret)."""

    count: Whole | None = Field(default=None, ge=1, le=1_000_000)
    """Unset: 20."""
    suite: str | None = None


class ClockEntry(Part):
    """The bots' time. 0 is no limit."""

    answer_ms: Whole = Field(default=1000, ge=0, le=MOST_MS)
    """The most for one answer."""
    bank_ms: Whole = Field(default=0, ge=0, le=MOST_MS)
    """A seat's time for the whole match."""
    increment_ms: Whole = Field(default=0, ge=0, le=MOST_MS)
    """Added to the bank after every answer."""


class AnchorEntry(Part):
    """The bot whose rating is fixed; in the file also just its name."""

    name: str
    elo: float = 1500.0


class SandboxEntry(Part):
    """What bots are kept from and what they may take; in the file also just the tier."""

    tier: Tier | None = None
    """Unset: the best there is on this machine."""
    memory_mb: Whole = Field(default=Limits().memory_mb, ge=32)
    address_mb: Whole = Field(default=Limits().address_mb, ge=1024)
    cpu_s: Whole = Field(default=Limits().cpu_s, ge=1)
    processes: Whole = Field(default=Limits().processes, ge=1)
    file_mb: Whole = Field(default=Limits().file_mb, ge=0)
    readable: list[str] = Field(default_factory=list)
    """Files and folders, from the league file's, that all bots may read."""

    @property
    def limits(self) -> Limits:
        return Limits(**{name: getattr(self, name) for name in Limits._fields})


def _by_tier(value: object) -> object:
    return {"tier": value} if isinstance(value, str) else value


class TlsEntry(Part):
    """Files of certificates, from the league file's folder: the authority's, one's own, and its key."""

    ca: str
    cert: str
    key: str


class LeagueFile(Part):
    """Everything a league file may say."""

    name: str = ""
    games: list[Annotated[GameEntry, BeforeValidator(by_name)]] = Field(min_length=1)
    bots: list[BotEntry] = Field(min_length=1)
    schedule: Annotated[ScheduleEntry, BeforeValidator(by_name)] = ScheduleEntry(name="round-robin")
    max_tables: Whole = Field(default=MAX_TABLES, ge=1, le=100_000)
    """Combinations of bots that are played; where there are more, a balanced choice of so many."""
    stop: Annotated[StopEntry, BeforeValidator(by_name)] | None = None
    final: Annotated[FinalEntry, BeforeValidator(by_name)] | None = None
    deals: DealsEntry | None = None
    """Unset: the suite `quick` where it is enough, else drawn from the secret."""
    clock: ClockEntry = ClockEntry()
    startup_ms: Whole = Field(default=10_000, ge=100, le=MOST_MS)
    """How long a bot may take from its start to its hello."""
    tables: Whole = Field(default=32, ge=1, le=1024)
    """Matches an arena has under way at once."""
    arenas: Whole | None = Field(default=None, ge=1, le=256)
    """Unset: one for every processor core."""
    engine: Literal["local", "dask"] = "local"
    """Where arenas run: on this machine, or on the workers of a Dask cluster."""
    scheduler: str | None = None
    """The cluster's scheduler, such as tls://HOST:8786. Unset: a cluster of `arenas` workers on this machine."""
    tls: TlsEntry | None = None
    """For a scheduler at tls://. Unset: what Dask's own configuration says."""
    anchor: Annotated[AnchorEntry, BeforeValidator(by_name)] | None = None
    forfeits: Literal["loss", "unrated"] = "loss"
    """What a match with a fault is to the ratings: a result like any other, or none."""
    max_faults: Whole | None = Field(default=None, ge=1)
    """A bot that has made so many faults, in the order of the schedule, is withdrawn for the night. Unset: never."""
    ponder: bool = True
    """Whether a bot may compute while it is not its turn. If not, its process plays one table at a time, and is
    stopped out of turn."""
    season: bool = False
    """Whether a run after a complete night plays another one, and standings go over all of them."""
    debug: bool = False
    """No clock: a bot may stand in its author's debugger."""
    sandbox: Annotated[SandboxEntry, BeforeValidator(_by_tier)] = SandboxEntry()
    fill: Literal["random"] | None = None
    """The house bot that takes the seats for which there are too few bots; it is not rated."""

    @property
    def suite(self) -> str | None:
        if self.deals is not None:
            return self.deals.suite
        return "quick" if self.stop is None and self.final is None and self.schedule.name in STATIC else None

    def deals_of(self, game: GameEntry) -> int:
        """How many of a game every combination plays, at most; in a Swiss tournament and a knockout, every table."""
        if self.stop is not None:
            return self.stop.max_deals
        return game.deals or (self.deals and self.deals.count) or DEALS

    def form_of(self, game: GameEntry) -> Form:
        """How a game is played."""
        stop = None if self.stop is None else Stop(self.stop.confidence, self.stop.max_deals)
        final = None
        if self.final is not None:
            deals = self.final.deals or min(self.deals_of(game), MOST_FINAL_DEALS)
            final = Knockout(self.final.bots, deals, self.final.advance)
        entry = self.schedule
        return Form(entry.name, entry.hero, entry.rounds, entry.advance, self.max_tables, stop, final)


@dataclass(frozen=True, slots=True)
class League:
    """A league file without a mistake."""

    path: Path
    file: LeagueFile
    broken: Mapping[str, str] = field(default_factory=dict)
    """Bots of a pattern that cannot be read, with the reason: the night is played without them."""

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def name(self) -> str:
        return self.file.name or self.path.stem

    def players(self, seats: int) -> list[BotEntry]:
        """The bots, and as many house bots as that many seats may need."""
        bots = list(self.file.bots)
        fewest = min(sum(bot.plays(game.name) for bot in bots) for game in self.file.games)
        if self.file.fill is not None:
            house = range(1, seats - fewest + 1)
            bots += [BotEntry.model_construct(name=f"(house {n})", sample=self.file.fill) for n in house]
        return bots

    def program(self, bot: BotEntry, game: str) -> Program:
        """How to start a bot for a game."""
        if bot.sample is not None:
            return sample_program(bot.sample, game, bot.env)
        assert bot.command is not None
        own = self.interpreter(bot)
        cwd = (self.folder / (bot.cwd or "")).absolute()
        files = [*places_named(bot.command, cwd, self.folder.absolute()), *([str(cwd)] if bot.cwd else [])]
        return program(bot.command, cwd, {**own.env, **bot.env}, own.path, files)

    def interpreter(self, bot: BotEntry) -> Interpreter:
        """What runs a bot in Python; where an environment is to be installed for it, that happens now, once."""
        wanted = None if bot.python is None else str(self.folder / bot.python) if "/" in bot.python else bot.python
        return interpreter(wanted, self.folder / (bot.cwd or "") if bot.install else None)

    def joined_by(self, entries: Iterable[Mapping[str, Any]]) -> League:
        """With bots that were added while it was played."""
        bots = [*self.file.bots, *(BotEntry.model_validate(entry) for entry in entries)]
        return replace(self, file=self.file.model_copy(update={"bots": bots}))

    def installed(self) -> League:
        """With all environments that bots ask for. `LeagueError` when one fails, unless the bot is optional."""
        mistakes, broken = [], dict(self.broken)
        for bot in self.file.bots:
            try:
                self.interpreter(bot)
            except InstallError as error:
                if bot.optional:
                    broken[bot.name] = str(error)
                else:
                    mistakes.append(Mistake(f"bot {bot.name}", str(error)))
        if mistakes:
            raise LeagueError(self.path, mistakes)
        bots = [bot for bot in self.file.bots if bot.name not in broken]
        return replace(self, file=self.file.model_copy(update={"bots": bots}), broken=broken)

    def sandbox(self, private: Iterable[Path]) -> Sandbox:
        """The bots' sandbox, tried out: none of them can read what is private. `SandboxError` when it cannot be had."""
        entry = self.file.sandbox
        files = [
            file for bot in self.file.bots for game in self.file.games for file in self.program(bot, game.name).files
        ]
        readable = [str(self.folder / place) for place in entry.readable]
        return choose(entry.tier, entry.limits, readable, [*map(str, private), str(self.path), *files])

    def fingerprint(self, bot: BotEntry, game: str) -> str:
        """The hash of a bot's command, environment and files, wherever they lie."""
        if bot.sample is not None:
            folder = sample_of(bot.sample, game).parent
            return fingerprint([f"sample {game}/{bot.sample.rpartition('/')[2]}"], files_below(folder), bot.env)
        assert bot.command is not None
        named = files_named(bot.command, self.folder / (bot.cwd or ""))
        files = named if bot.cwd is None else chain(named, files_below(self.folder / bot.cwd))
        own = [] if bot.python is None else [f"python = {bot.python}"]
        return fingerprint([*own, *bot.command], files, bot.env)


def read_league(path: Path, *, strict: bool = False) -> League:
    """The league in a file; `LeagueError` lists all its mistakes, and if `strict` the broken bots of a pattern too."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LeagueError(path, [Mistake("the file", reason or str(error))]) from None
    if isinstance(raw.get("game"), str) and "games" not in raw:
        raw["games"] = [raw.pop("game")]
    found = roster(raw.get("bots"), path.parent)
    mistakes = [Mistake(where, what) for where, what in found.mistakes]
    if strict:
        mistakes += [Mistake(f"bots: {name}", reason) for name, reason in found.broken.items()]
    if "bots" in raw:
        raw["bots"] = found.entries
    file: LeagueFile | None = None
    try:
        file = LeagueFile.model_validate(raw)
    except ValidationError as error:
        wrong = [_mistake(detail) for detail in error.errors()]
        mistakes += _placed([] if found.mistakes and not found.entries else wrong, found.places)
    if not found.mistakes:  # without all its bots a league has fewer than it needs, but that is not what is wrong
        mistakes += _placed(_meaning(_well_formed(raw), path.parent), found.places)
    if file is not None:
        mistakes += _engine_mistakes(file, path.parent)
    if mistakes or file is None:
        order = list(raw)
        raise LeagueError(path, sorted(mistakes, key=lambda mistake: _entry_of(mistake.where, order)))
    return League(path, file, found.broken)


def _placed(mistakes: Iterable[Mistake], places: Sequence[int]) -> Iterator[Mistake]:
    """With the numbers that bots have in the file, where a path may stand for many."""
    for where, what in mistakes:
        yield Mistake(re.sub(r"^bots\[(\d+)\]", lambda found: f"bots[{places[int(found[1])]}]", where), what)


def _entry_of(where: str, order: Sequence[str]) -> int:
    """Where in the file the entry stands that a mistake is in; what is not in the file comes last."""
    key = re.split(r"[\[.]", where)[0]
    return order.index(key) if key in order else len(order)


def _mistake(detail: ErrorDetails) -> Mistake:
    where, what = _place(detail["loc"]), detail["msg"]
    if detail["type"] == "extra_forbidden":
        known = LeagueFile if len(detail["loc"]) == 1 else _PARTS.get(str(detail["loc"][0]), LeagueFile)
        close = get_close_matches(
            str(detail["loc"][-1]), [*known.model_fields, *([PATH] if known is BotEntry else [])], 1
        )
        what = "there is no such entry" + (f"; did you mean {close[0]}?" if close else "")
    elif detail["type"] == "missing":
        what = "is missing"
    elif where.endswith(("name", "label")) and detail["type"] == "string_pattern_mismatch":
        what = f"{detail['input']!r}: a name is 1 to 40 letters, digits, blanks and . _ + -, a letter or digit first"
    else:
        what = f"{what[0].lower()}{what[1:]}, not {detail['input']!r}"
    return Mistake(where, what)


_PARTS: Final[Mapping[str, type[BaseModel]]] = {
    "games": GameEntry,
    "bots": BotEntry,
    "deals": DealsEntry,
    "clock": ClockEntry,
    "anchor": AnchorEntry,
    "tls": TlsEntry,
    "sandbox": SandboxEntry,
    "schedule": ScheduleEntry,
    "stop": StopEntry,
    "final": FinalEntry,
}


def _place(loc: Sequence[str | int]) -> str:
    place = ""
    for step in loc:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else step
    return place


@dataclass(frozen=True, slots=True)
class _Formed:
    """The entries that have the right form, by their place in the file: what can be checked for its meaning."""

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
    def entries(key: str, kind: type[Part]) -> dict[int, Any]:
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
    def entry(key: str, kind: type[Part]) -> Any:
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
    )


def _seats(entry: GameEntry) -> int | None:
    """Of a table; None where the entry is wrong."""
    try:
        game = get_game(entry.name)
        return entry.seats or game.seats(game.options(entry.options))[0]
    except (UnknownGame, OptionsError, TypeError):
        return None


def _form(kind: type[Part], value: object) -> Any:
    try:
        return TypeAdapter(kind).validate_python(by_name(value))
    except ValidationError:
        return None


def _meaning(formed: _Formed, folder: Path) -> Iterator[Mistake]:
    """What no single entry's form can show."""
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
    if (bot.command is None) == (bot.sample is None):
        yield Mistake(where, f"{bot.name}: give it either a command, a sample or a path")
    if bot.cwd is not None and not (folder / bot.cwd).is_dir() and not bot.optional:
        yield Mistake(f"{where}.cwd", f"{bot.cwd} is no folder")
    if bot.python is not None and (bot.command is None or bot.command[0] not in PYTHON_WORDS):
        yield Mistake(f"{where}.python", f"{bot.name}: its command does not begin with `python`")
    if bot.install and not bot.optional and (bot.cwd is None or not (folder / bot.cwd / REQUIREMENTS).is_file()):
        yield Mistake(f"{where}.install", f"{bot.name}: there is no {REQUIREMENTS} in its folder (`cwd`)")
    games = list(dict.fromkeys(game.name for game in formed.games.values()))
    for name in bot.games or []:
        if name not in games and not bot.optional:
            yield Mistake(f"{where}.games", f"{name!r} is not played here; the league has {', '.join(games)}")
    if bot.sample is not None:
        for game in filter(bot.plays, games):
            try:
                sample_of(bot.sample, game)
            except ProgramError as error:
                yield Mistake(f"{where}.sample", str(error))
            except UnknownGame:
                continue


def _engine_mistakes(file: LeagueFile, folder: Path) -> Iterator[Mistake]:
    if file.engine == "local":
        for entry in ("scheduler", "tls"):
            if getattr(file, entry) is not None:
                yield Mistake(entry, 'is for a league with engine = "dask"')
    for name, place in () if file.tls is None else file.tls:
        if not (folder / place).is_file():
            yield Mistake(f"tls.{name}", f"there is no file {place}")


def _suite_mistakes(formed: _Formed, folder: Path) -> Iterator[Mistake]:
    """Whether the suite is there, and long enough."""
    entries = {"schedule": formed.form.schedule, "stop": formed.form.stop, "final": formed.form.final}
    known: dict[str, Any] = {key: entry for key, entry in entries.items() if entry is not None}
    file = LeagueFile.model_construct(None, deals=formed.deals, **known)
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


def label_of(entry: GameEntry, entries: Collection[GameEntry]) -> str:
    """What standings call a game: its label, its name, or its name with the seats where it comes twice."""
    if entry.label:
        return entry.label
    alone = sum(other.name == entry.name and not other.label for other in entries) == 1
    return entry.name if alone or entry.seats is None else f"{entry.name}-{entry.seats}"
