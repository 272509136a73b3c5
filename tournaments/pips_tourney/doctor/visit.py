"""A visit: the league's needs, the machine's facts, the trial, and the findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from pips_tourney.arena.exchange import ArenaLost
from pips_tourney.doctor.findings import LOOKS, Complaint, Needs, examine
from pips_tourney.doctor.machine import Machine, look_at_machine, why_no_cgroup
from pips_tourney.doctor.trial import try_attacks
from pips_tourney.errors import TourneyError
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league

REMOTE_PORT: Final = 7700


@dataclass(frozen=True, slots=True)
class Visit:
    """The results of the doctor's visit."""

    machine: Machine
    needs: Needs
    findings: list[Complaint]

    def as_json(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "well": not self.findings,
            "findings": [asdict(finding) for finding in self.findings],
            "machine": asdict(self.machine),
            "needs": self.needs._asdict(),
        }

    def lines(self) -> Iterator[str]:
        """Yield the report's lines: one for each check, then what to do."""
        wrong = {finding.what for finding in self.findings}
        for name in LOOKS:
            yield f"{'✗' if name in wrong else '✓'} {name}{_fact(name, self.machine)}"
        for finding in self.findings:
            yield ""
            yield f"{finding.what}: {finding.found}."
            yield f"  To do: {finding.todo}."
        yield ""
        count = "one finding" if len(self.findings) == 1 else f"{len(self.findings)} findings"
        yield "All is well: nothing stands in a night's way here." if not self.findings else f"{count}."


def visit(league: Path | None) -> Visit:
    """Look at this machine, for a league's night if one is given.

    Raises the errors of the league file.
    """
    found = None if league is None else read_league(league)
    folder = (found.folder if found is not None else Path()).absolute()
    kept = Path().absolute()
    remote = found is not None and any(bot.remote for bot in found.file.bots)
    ports = (REMOTE_PORT,) if remote else ()
    machine = look_at_machine(kept, ports, tuple(dict.fromkeys([kept, folder, *_folders_of(found)])))
    needs = _needs(found, machine.cores)
    machine = _tried(machine, folder, {} if found is None else found.file.sandbox.model_dump())
    return Visit(machine, needs, examine(machine, needs))


def _tried(machine: Machine, folder: Path, asked: Mapping[str, Any]) -> Machine:
    """Add the facts about the sandbox, after trying the attacks in it."""
    try:
        sandbox, got = try_attacks(folder, asked)
    except (TourneyError, ArenaLost, OSError) as error:
        return replace(machine, tier="", why_tier=str(error))
    return replace(
        machine, tier=sandbox.tier.value, why_tier="; ".join(sandbox.notes), got=got,
        bots_are_root=machine.root and not sandbox.as_another_user,
        cgroup="" if sandbox.group else why_no_cgroup(asked.get("cgroup", "")),
    )  # fmt: skip


def _folders_of(league: League | None) -> Iterator[Path]:
    if league is not None:
        yield from ((league.folder / bot.cwd).absolute() for bot in league.file.bots if bot.cwd is not None)


def _needs(league: League | None, cores: int) -> Needs:
    if league is None:
        return Needs(arenas=cores, processes=8 * cores)
    arenas = league.file.arenas or cores
    bots = [bot for bot in league.file.bots if not bot.remote]
    seats = max((game.seats or 2 for game in league.file.games), default=2)
    return Needs(arenas, len(bots) * seats * arenas, league.file.sandbox.memory_mb)


def _fact(name: str, machine: Machine) -> str:
    """Return the fact that is reported with a check's findings."""
    facts = {
        "sandbox": machine.tier or "none to be had",
        "attacks": f"{len(machine.got)} tried, {sum(not got for got in machine.got.values())} kept out",
        "user": "root" if machine.root else "an ordinary user",
        "memory": f"{machine.memory_mb:,} MB free",
        "cores": f"{machine.cores}, load {machine.load:.1f}",
        "disk": f"{machine.free_mb:,} MB free, a write is safe after {machine.sync_ms or 0:.1f} ms",
        "descriptors": str(machine.descriptors),
    }
    return f" ({facts[name]})" if name in facts else ""
