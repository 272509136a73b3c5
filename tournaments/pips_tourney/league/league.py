"""A league that can be played: its bots, how each is started, and what they are kept from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from pips_tourney.bots.executable import (
    Executable,
    files_below,
    files_named,
    fingerprint,
    places_named,
    program,
    sample_of,
    sample_program,
)
from pips_tourney.bots.interpreter import InstallError, Interpreter, interpreter
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.file import LeagueFile
from pips_tourney.league.mistakes import LeagueError, Mistake
from pips_tourney.sandbox.resources import with_resources
from pips_tourney.sandbox.tiers import Sandbox, choose


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

    def program(self, bot: BotEntry, game: str) -> Executable:
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
            file
            for bot in self.file.bots
            for game in self.file.games
            if not bot.remote
            for file in self.program(bot, game.name).files
        ]
        readable = [str(self.folder / place) for place in entry.readable]
        chosen = choose(entry.tier, entry.limits, readable, [*map(str, private), str(self.path), *files])
        return with_resources(chosen, entry.cgroup)

    def fingerprint(self, bot: BotEntry, game: str) -> str:
        """The hash of a bot's command, environment and files, wherever they lie; of one on another machine of no more
        than that."""
        if bot.remote:
            return fingerprint(["remote"], [], {})
        if bot.sample is not None:
            folder = sample_of(bot.sample, game).parent
            return fingerprint([f"sample {game}/{bot.sample.rpartition('/')[2]}"], files_below(folder), bot.env)
        assert bot.command is not None
        named = files_named(bot.command, self.folder / (bot.cwd or ""))
        files = named if bot.cwd is None else chain(named, files_below(self.folder / bot.cwd))
        own = [] if bot.python is None else [f"python = {bot.python}"]
        return fingerprint([*own, *bot.command], files, bot.env)
