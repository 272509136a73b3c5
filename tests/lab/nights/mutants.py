"""Planted mistakes: how long the simulator takes to find each of them.

python -m tests.lab.nights.mutants [--seconds MOST] [NAME ...] plants each mistake into
a process of its own, and simulates nights there until one of them breaks.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import count
from pathlib import Path
from time import process_time
from types import CodeType
from typing import Any, Final

MOST_S: Final = 600.0
"""The CPU time, in seconds, within which each mistake is to be found."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mistake: in words, and how the source of a module is changed."""

    words: str
    module: str
    old: str
    new: str
    league: str = ""
    """The kind of nights that it is hunted in; "" for all."""


MUTANTS: Final[Mapping[str, Mutant]] = {
    "session: sent": Mutant(
        "the questions of a lost stream count as sent on the next one",
        "pips_referee.service.session",
        "        for asked in self.queue:\n            asked.sent = False\n",
        "",
    ),
    "session: again": Mutant(
        "a bot that comes back is not asked again",
        "pips_referee.service.session",
        "        for asked in list(self.queue):\n            asked.table.put_again(asked)\n",
        "",
    ),
    "keeper: refused": Mutant(
        "the referee is not told that the machine refused a process",
        "pips_tourney.arena.arena",
        "ended.refused = refused",
        "ended.refused = False",
    ),
    "keeper: roster": Mutant(
        "a process that has ended is still taken for the one that plays",
        "pips_tourney.arena.arena",
        "        del self._roster.bots[process]\n",
        "",
    ),
    "keeper: loss": Mutant(
        "an arena that is lost does not say so to its matches",
        "pips_tourney.arena.exchange",
        "            if not result.done():\n                result.set_exception(VoidMatch(why))\n",
        "            pass\n",
    ),
    "keeper: torn": Mutant(
        "a keeper's last line is read even without its end",
        "pips_tourney.arena.launcher",
        'if line.endswith(b"\\n"):',
        "if line:",
    ),
    "keeper: launches": Mutant(
        "all launches of a process have the same number",
        "pips_tourney.arena.arena",
        "            use.launches += 1\n",
        "",
    ),
    "ledger: tells": Mutant(
        "results are told of before they are stored",
        "pips_tourney.play.ledger",
        "            await asyncio.to_thread(self._store.add, rows, entries, arenas)\n"
        "            self.count += len(rows)\n"
        "            self._queue.are_stored(row.id for row in rows)\n"
        "            self._stored(rows)\n",
        "            self.count += len(rows)\n"
        "            self._queue.are_stored(row.id for row in rows)\n"
        "            self._stored(rows)\n"
        "            await asyncio.to_thread(self._store.add, rows, entries, arenas)\n",
    ),
    "ledger: clears": Mutant(
        "results that come during a commit are dropped after it",
        "pips_tourney.play.ledger",
        "            self._stored(rows)\n",
        "            self._stored(rows)\n            self._rows.clear()\n",
    ),
    "ledger: voids": Mutant(
        "a match that the machine spoilt is not played again",
        "pips_tourney.play.ledger",
        "        self._queue.put_back(fixture)\n",
        "",
    ),
    "store: sync": Mutant(
        "a commit is not on the disk when it is over",
        "pips_tourney.night.log.connecting",
        "PRAGMA synchronous = FULL",
        "PRAGMA synchronous = OFF",
    ),
    "store: chain": Mutant(
        "the link of the chain is added after the commit",
        "pips_tourney.night.log.store",
        "[(match, arena, at) for match, arena in arenas])\n            add_link(connection)\n",
        "[(match, arena, at) for match, arena in arenas])\n        add_link(self._connection)\n",
    ),
    "queue: back": Mutant(
        "a void match is lost when nothing else is left",
        "pips_tourney.engines.match_queue",
        "        else:\n            self._sittings.put([fixture])\n",
        "",
    ),
    "queue: wakes": Mutant(
        "who waits at a gate is not woken by results",
        "pips_tourney.engines.match_queue",
        "        self._over(matches)\n",
        "        self._awaited.difference_update(matches)\n",
    ),
    "queue: stored": Mutant(
        "matches that have a result are given out again",
        "pips_tourney.engines.match_queue",
        "if fixture.match_id not in here and not self._drops(fixture)]",
        "if not self._drops(fixture)]",
    ),
    "queue: shifts": Mutant(
        "a rotation begins before the bots of the last have ended",
        "pips_tourney.engines.local",
        "                                await arena.end_bots()\n",
        "",
    ),
    "schedule: beyond": Mutant(
        "matches count that were played after the table was settled",
        "pips_tourney.night.plan.live_schedule",
        "        is_beyond = part.stopped and not fixture.final\n",
        "        is_beyond = False\n",
        "settled",
    ),
    "schedule: gate": Mutant(
        "the schedule is read on past a gate that is closed",
        "pips_tourney.engines.schedule",
        "self._lookout.gates() > (self.gate.look is not None)",
        "self._lookout.gates() > 1",
        "swiss",
    ),
    "clock: late": Mutant(
        "the referee's own delay is not known",
        "pips_referee.timing.clock",
        "return 0.0 if self._ticked_s is None else max(0.0, now - self._ticked_s - self._period_s)",
        "return 0.0",
    ),
    "clock: guests": Mutant(
        "the referee's delay is forgotten at its next look, for bots on other machines",
        "pips_referee.service.stopwatch",
        "            self._noted_us = late_us if late_us > SLOW_US else 0\n",
        "            pass\n",
        "hosted",
    ),
    "clock: still": Mutant(
        "a guest's grace runs on while its host stands still",
        "pips_referee.service.timekeeper",
        "                    session.stood_still(now, still_s)\n",
        "                    pass\n",
        "hosted",
    ),
    "clock: shared": Mutant(
        "every answer of a message is charged the time of all",
        "pips_referee.service.stopwatch",
        "return Spent(used_us // shared_by,",
        "return Spent(used_us,",
    ),
    "lobby: lost": Mutant(
        "a lobby goes on without its arena",
        "pips_tourney.remote.lobby",
        "                if self._arena.why_lost:\n                    return\n",
        "",
        "hosted",
    ),
    "lobby: drops": Mutant(
        "a guest pays for a stream that it lost while its host stood still",
        "pips_referee.service.guest",
        "        if self._is_excused:\n            return True\n",
        "",
        "hosted",
    ),
    "lobby: over": Mutant(
        "guests are sent home when the director decides something",
        "pips_tourney.remote.host",
        "over = not arena.why_lost and (not self.queue.is_closed or await self._ends_the_night())",
        "over = not arena.why_lost",
        "hosted",
    ),
}
"""The mistakes, by area and name."""


class _Loader(SourceFileLoader):
    """Loads a module with a mistake in it."""

    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(changed(self._mutant), self.path, "exec")


class _Finder(MetaPathFinder):
    """Finds one module, with its mistake."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if name != self._mutant.module or (spec := PathFinder.find_spec(name, path)) is None:
            return None
        assert spec.origin is not None
        spec.loader = _Loader(name, spec.origin, self._mutant)
        return spec


def source_of(module: str) -> str:
    """The source of a module of the house, which is not imported for it."""
    package, *parts = module.split(".")
    spec = PathFinder.find_spec(package)
    assert spec is not None and spec.submodule_search_locations
    below = spec.submodule_search_locations[0]
    return Path(below, *parts).with_suffix(".py").read_text(encoding="utf-8")


def changed(mutant: Mutant) -> str:
    """The source of a module with its mistake; it is in one place alone."""
    source = source_of(mutant.module)
    if source.count(mutant.old) != 1:
        raise ValueError(f"{mutant.module} has {source.count(mutant.old)} places of {mutant.old!r}")
    return source.replace(mutant.old, mutant.new)


def hunt(mutant: Mutant, most_s: float, first: int = 1) -> str:
    """Simulate nights in this process until one breaks; return its line of the table.

    The mistake has to be planted before anything of the house is imported.
    """
    sys.meta_path.insert(0, _Finder(mutant))
    from tests.lab.nights.faults import draw
    from tests.lab.nights.story import Calm, shortened, tell
    from tests.lab.nights.witness import Broken

    began_s = process_time()
    with tempfile.TemporaryDirectory() as home:
        calm, folder = Calm(Path(home)), Path(home, "night")
        for seed in count(first):
            if process_time() - began_s > most_s:
                return f"not found in {seed - first} nights"
            try:
                story = draw(seed, calm.passed)
            except Broken as broken:
                return f"{process_time() - began_s:.1f} s | seed {seed} | an undisturbed night: {broken}"
            if mutant.league not in {"", story.league}:
                continue
            if tell(folder, story, calm)[0]:
                took_s = process_time() - began_s
                short = shortened(folder, story, calm)
                told, _ = tell(folder, short, calm)
                return f"{took_s:.1f} s | seed {seed} | {told.splitlines()[0]}\n  {short}"
    raise AssertionError("seeds have no end")


def hunted(name: str, most_s: float, first: int = 1) -> str:
    """Hunt a mistake in a process of its own; return its line of the table."""
    command = [
        sys.executable,
        "-m",
        "tests.lab.nights.mutants",
        "--here",
        "--seconds",
        str(most_s),
        "--seed",
        str(first),
    ]
    ended = subprocess.run([*command, name], capture_output=True, text=True, check=False)
    return ended.stdout.strip() or f"failed: {ended.stderr.strip()[-400:]}"


def _breaks_without(found: str) -> str:
    """What breaks in the night of a seed without any mistake; "" if all holds."""
    from tests.lab.nights.faults import draw
    from tests.lab.nights.story import Calm, tell

    seed = int(found.partition("| seed ")[2].partition(" ")[0])
    with tempfile.TemporaryDirectory() as home:
        calm = Calm(Path(home))
        return tell(Path(home, "night"), draw(seed, calm.passed), calm)[0]


def main() -> int:
    """Hunt the mistakes that were named, or all; 1 if one of them was not found."""
    options = argparse.ArgumentParser(prog="make lab WHAT=mutants")
    options.add_argument("names", nargs="*", help="mistakes, or the beginnings of their names; all if none is named")
    options.add_argument("--seconds", type=float, default=MOST_S)
    options.add_argument("--seed", type=int, default=1, help="the first night's seed")
    options.add_argument("--here", action="store_true", help="hunt in this process; for one mistake alone")
    given = options.parse_args()
    names = [name for name in MUTANTS if not given.names or name.startswith(tuple(given.names))]
    if given.here:
        print(hunt(MUTANTS[names[0]], given.seconds, given.seed))
        return 0
    missed = 0
    for name in names:
        found = hunted(name, given.seconds, given.seed)
        if "| seed" in found and (without := _breaks_without(found)):
            found = f"breaks without it, too: {without}; {found}"
        missed += "| seed" not in found or found.startswith("breaks")
        print(f"{name} | {MUTANTS[name].words} | {found}", flush=True)
    print(f"{len(names) - missed} of {len(names)} found within {given.seconds:g} s each")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
