"""Findings about a machine before a night, as sentences that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from pips_tourney.doctor.machine import Machine
from pips_tourney.sandbox.tiers import Tier

SLOW_SYNC_MS: Final = 50.0
LEAST_FREE_MB: Final = 1024
DESCRIPTORS: Final = 1024
PROCESS_MB: Final = 60
"""Memory of a Python bot just after its start."""
TASKS_A_BOT: Final = 16
"""Approximate number of processes and threads of a Python bot with gRPC."""
FENCES: Final = {tier.value for tier in Tier if tier.is_fence}
_SCOPE: Final = "begin the night with: systemd-run --user --scope -p Delegate=yes pips-tourney run ..."


class Needs(NamedTuple):
    """A night's needs from a machine."""

    arenas: int = 1
    processes: int = 8
    """Bot processes at the same time, over all arenas."""
    memory_mb: int = 512
    """Memory limit of a bot."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that will not work or will not be fair, and what to do."""

    what: str
    """The check that found it: a key of `LOOKS`."""
    found: str
    todo: str


Told = Iterator[tuple[str, str]]


def examine(machine: Machine, needs: Needs) -> list[Complaint]:
    """Return all findings; none if all is well."""
    return [Complaint(name, found, todo) for name, look in LOOKS.items() for found, todo in look(machine, needs)]


def _sandbox(machine: Machine, _: Needs) -> Told:
    fix = (
        "install the package bubblewrap. Where the kernel lets it make no namespaces, be root, as in a container, or "
        "ask for them: "
        "sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, "
        "user.max_user_namespaces=10000"
    )
    if not machine.tier:
        yield f"no night of strangers' bots is played here: {machine.why_tier}", fix
    elif machine.tier not in FENCES:
        yield f"the sandbox is `{machine.tier}`: {machine.why_tier}", fix


def _attacks(machine: Machine, _: Needs) -> Told:
    todo = "play strangers' bots with a fence; docs/faults.md says what each tier holds"
    if machine.tier in FENCES:
        todo = "play strangers' bots on a machine that holds nothing else; docs/organisers.md says which"
    for name, got in machine.got.items():
        if got:
            yield f"the attack `{name}` from within the sandbox `{machine.tier}` got {got}", todo


def _user(machine: Machine, _: Needs) -> Told:
    if machine.bots_are_root:
        yield (
            "bots are root, like you",
            "run the night as a user of its own: adduser pips; or install Pips where other users can read it",
        )


def _cgroup(machine: Machine, _: Needs) -> Told:
    if machine.cgroup:
        yield (
            f"no control group for bots: {machine.cgroup}. Memory beyond the limit is noticed only after it was taken",
            _SCOPE,
        )


def _memory(machine: Machine, needs: Needs) -> Told:
    if (wanted := max(needs.processes * PROCESS_MB, needs.memory_mb)) > machine.memory_mb:
        yield (
            f"{machine.memory_mb:,} MB of memory are free, and {needs.processes} processes of bots need {wanted:,}",
            "play with fewer arenas (--arenas), or on a larger machine",
        )


def _cores(machine: Machine, needs: Needs) -> Told:
    if needs.arenas > machine.cores:
        yield (
            f"{needs.arenas} arenas are to share {machine.cores} cores: bots wait for each other",
            f"--arenas {machine.cores}, or leave `arenas` out of the league file",
        )
    if machine.load > 0.5 * machine.cores:
        yield (
            f"other programs are at work: {machine.load:.1f} of {machine.cores} cores were wanted in the last minute",
            "end them before the night, or keep cores for it",
        )


def _disk(machine: Machine, _: Needs) -> Told:
    if machine.free_mb < LEAST_FREE_MB:
        yield f"{machine.free_mb:,} MB are free where the night is kept", "make room, or name another place with --db"
    if machine.sync_ms is None:
        yield "nothing can be written where the night is to be kept", "name another place with --db"
    elif machine.sync_ms > SLOW_SYNC_MS:
        yield (
            f"a write is safe after {machine.sync_ms:.0f} ms: results arrive faster than they are stored",
            "keep the night on a local disk (--db)",
        )
    if machine.far_disk:
        yield (
            f"the night would lie on {machine.far_disk}, another machine's disk: SQLite cannot trust its locks",
            "keep the night on a local disk (--db)",
        )
    for place in machine.open_to_others:
        yield f"every user of this machine may write to {place}", f"chmod o-w {place}"


def _descriptors(machine: Machine, needs: Needs) -> Told:
    if machine.descriptors < (least := DESCRIPTORS + 8 * needs.processes):
        yield (
            f"a process may open {machine.descriptors} files, and the night may need {least}",
            "raise the limit: ulimit -Hn 65536, as root, or LimitNOFILE= of the service",
        )


def _processes(machine: Machine, needs: Needs) -> Told:
    if machine.processes < (least := TASKS_A_BOT * needs.processes + 200):
        yield (
            f"there may be {machine.processes} processes and threads, and the night may need {least}",
            "raise the limit: ulimit -u, or sysctl kernel.pid_max and kernel.threads-max",
        )


def _ports(machine: Machine, _: Needs) -> Told:
    for port in machine.ports_taken:
        yield (
            f"port {port} is taken by another program",
            f"end it (ss -ltnp 'sport = {port}' names it), or choose another with `serve --dial`",
        )


LOOKS: Final[dict[str, Callable[[Machine, Needs], Told]]] = {
    look.__name__.removeprefix("_"): look
    for look in (
        _sandbox, _attacks, _user, _cgroup, _memory, _cores, _disk, _descriptors, _processes, _ports,
    )
}  # fmt: skip
"""Checks, by the word that labels their findings."""
