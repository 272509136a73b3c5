"""A league that can be played: its bots, their start commands, their sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pips_referee.game import get_game
from pips_tourney.bots.executable import (
    Executable,
    files_named,
    places_named,
    program,
    sample_program,
)
from pips_tourney.bots.interpreter import REQUIREMENTS, InstallError, Interpreter, Requirements, interpreter
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.file import LeagueFile
from pips_tourney.league.fingerprints import Contents, fingerprint_of, read_contents
from pips_tourney.league.mistakes import LeagueError, Mistake
from pips_tourney.league.model_bots import COMMAND as MODEL_COMMAND
from pips_tourney.sandbox.installing import install
from pips_tourney.sandbox.landlock import looked_for
from pips_tourney.sandbox.reading import read
from pips_tourney.sandbox.resources import with_resources
from pips_tourney.sandbox.tiers import Finding, Sandbox, Shelter, WhoPlays, choose, finder


@dataclass(frozen=True, slots=True)
class League:
    """A league file without mistakes."""

    path: Path
    file: LeagueFile
    broken: Mapping[str, str] = field(default_factory=dict)
    """Bots of a pattern that cannot be read, with the reason.

    The night is played without them.
    """
    contents: Mapping[str, Contents] | None = None
    """By bot, the hashes of its files. None before they were read."""
    _interpreters: dict[str, Interpreter] = field(default_factory=dict, compare=False, repr=False)
    """By bot, its interpreter, if it has been needed."""

    where: Mapping[str, str] = field(default_factory=dict)
    """By name, the paths of bots that have one, relative to the league's folder.

    Bots that cannot be read are included.
    """

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def name(self) -> str:
        return self.file.name or self.path.stem

    def players(self, seats: int) -> list[BotEntry]:
        """The bots, and enough unrated sample bots to fill this number of seats."""
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
        if bot.model is not None:
            env = {**bot.env, **bot.model.variables(self.folder, self.file.clock.answer_ms)}
            bot = bot.model_copy(update={"env": env, "command": bot.command or [*MODEL_COMMAND]})
        assert bot.command is not None
        own = self.interpreter(bot)
        cwd = (self.folder / (bot.cwd or "")).absolute()
        files = [str(cwd)] if bot.cwd else []
        if not bot.submitted:
            files = [*places_named(bot.command, cwd, self.folder.absolute()), *files]
        elif not files:
            files = [str(cwd / word) for word, _ in files_named(bot.command, cwd)]
        env, lines = {**own.env, **bot.env}, bot.protocol == "lines"
        made = program(bot.command, cwd, env, own.path, files, submitted=bot.submitted, lines=lines)
        seen = (self.contents or {}).get(bot.name, {}) if bot.submitted and bot.cwd else {}
        return replace(made, stamp=seen.get("stamp", ""))

    def interpreter(self, bot: BotEntry) -> Interpreter:
        """The interpreter of a bot in Python.

        If it needs an environment, that is installed on the first call.
        """
        if bot.name not in self._interpreters:
            wanted = None if bot.python is None else str(self.folder / bot.python) if "/" in bot.python else bot.python
            wants = self._requirements(bot) if bot.install else None
            self._interpreters[bot.name] = interpreter(wanted, wants, install)
        return self._interpreters[bot.name]

    def _requirements(self, bot: BotEntry) -> Requirements | None:
        """The requirements of a bot, read as safely as any part of a submission.

        Raises `InstallError` if they cannot be read.
        """
        folder = (self.folder / (bot.cwd or "")).absolute()
        if not os.path.lexists(folder / REQUIREMENTS):
            return None
        (found,) = read([{"do": "text", "place": str(folder), "name": REQUIREMENTS}])
        if "error" in found:
            raise InstallError(str(found["error"]))
        hand_in = self.file.hand_in
        wheels = None if hand_in.wheels is None else (self.folder / hand_in.wheels).absolute()
        return Requirements(found["text"], folder, wheels, hand_in.mb)

    def joined_by(self, entries: Iterable[Mapping[str, Any]]) -> League:
        """The league with the bots that were added during the night."""
        bots = [*self.file.bots, *(BotEntry.model_validate(entry) for entry in entries)]
        return replace(self, file=self.file.model_copy(update={"bots": bots}))

    def installed(self) -> League:
        """The league after installing all environments that bots need.

        Raises `LeagueError` if one fails, unless the bot is optional.
        """
        wrong = {}
        for bot in self.file.bots:
            try:
                self.interpreter(bot)
            except InstallError as error:
                wrong[bot.name] = str(error)
        return self._without(wrong)

    def sandbox_begun(self) -> Finding | None:
        """Start testing whether a fence works, if the sandbox may need one."""
        tier = self.file.sandbox.tier
        return looked_for(finder(tier)) if tier is None or tier.is_fence else None

    def who(self, others: Sequence[str] = ()) -> WhoPlays:
        """The authors of the bots; `others` are strangers' bots still to come."""
        bots = self.file.bots
        strangers = [bot for bot in bots if bot.is_stranger]
        vouched = any(bot.trusted and not bot.ships_with_pips for bot in bots)
        return WhoPlays(
            (*(bot.name for bot in strangers), *others),
            tuple(bot.name for bot in strangers if not bot.optional or not bot.submitted),
            tuple(bot.name for bot in bots if bot.remote and vouched),
            self.file.sandbox.unfenced,
        )

    def sandbox(self, private: Iterable[Path], find: Finding | None = None, others: Sequence[str] = ()) -> Sandbox:
        """The bots' sandbox, tested: no bot can read `private` paths.

        `others` are strangers' bots still to come. If nothing fences bots in, all must
        be trusted.

        Raises `SandboxError` if no sandbox is possible.
        """
        entry = self.file.sandbox
        files = [
            file
            for bot in self.file.bots
            for game in self.file.games
            if not bot.remote and bot.plays(game.name)
            for file in self.program(bot, game.name).files
        ]
        readable = [str(self.folder / place) for place in entry.readable]
        hidden = [*map(str, private), str(self.path), *files]
        shelter = Shelter(readable, hidden, entry.copy_mb, files, self.who(others))
        chosen = choose(entry.tier, entry.limits, shelter, find)
        return with_resources(chosen, entry.cgroup)

    def fingerprint(self, bot: BotEntry, game: str) -> str:
        """A fingerprint that distinguishes this version of a bot from others."""
        contents = self.with_contents().contents if self.contents is None else self.contents
        return fingerprint_of(bot, game, (contents or {}).get(bot.name), self.folder)

    def with_contents(self) -> League:
        """The league with the hashes of the bots' files.

        Raises `LeagueError` if a bot cannot be read. An optional bot is left out
        instead.
        """
        found = read_contents(self.file.bots, self.folder, self.file.hand_in.caps)
        league = self._without({name: said["error"] for name, said in found.items() if "error" in said})
        return replace(league, contents=found)

    def _without(self, wrong: Mapping[str, str]) -> League:
        """The league without the bots that have something wrong.

        Raises `LeagueError` if one of them is needed.
        """
        needed = [bot.name for bot in self.file.bots if bot.name in wrong and not bot.optional]
        if needed:
            raise LeagueError(self.path, [Mistake(f"bot {name}", wrong[name]) for name in needed])
        bots = [bot for bot in self.file.bots if bot.name not in wrong]
        for number, game in enumerate(self.file.games if wrong and self.file.fill is None else ()):
            seats = game.seats or (rules := get_game(game.name)).seats(rules.options(game.options))[0]
            if sum(bot.plays(game.name) for bot in bots) < seats:
                short = Mistake(
                    f"games[{number}].seats", f"{game.name} needs {seats} bots at a table, and fewer are left"
                )
                raise LeagueError(self.path, [short, *(Mistake(f"bot {name}", why) for name, why in wrong.items())])
        return replace(self, file=self.file.model_copy(update={"bots": bots}), broken={**self.broken, **wrong})
