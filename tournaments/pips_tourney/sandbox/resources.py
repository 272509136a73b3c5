"""Choose what enforces limits, and compare their sums with this machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from pips_tourney.sandbox.counting.groups import GroupError, clear_dead_groups, find_base
from pips_tourney.sandbox.counting.inspection import COUNTS_BY_NAMESPACE
from pips_tourney.sandbox.counting.memory import machine_memory
from pips_tourney.sandbox.counting.shortage import most_tasks
from pips_tourney.sandbox.landlock import Landlock
from pips_tourney.sandbox.limits import MB, TEMPORARY_MB
from pips_tourney.sandbox.tiers import Sandbox, SandboxError, Tier

START: Final = "start the night with `systemd-run --user --scope -p Delegate=yes`"
CONTAINER: Final = Path("/sys/fs/cgroup/memory.max")
_KEPT: Final = {
    "memory": "memory (also what is shared, or in files in memory)",
    "pids": "threads",
    "cpu": "a fair share of the core",
    "cpuset": "the core itself",
}


def with_resources(sandbox: Sandbox, given: str = "") -> Sandbox:
    """Return the sandbox with the control group found, and a note about it.

    Raises `SandboxError` if the group given in the league file is not available.
    """
    if sandbox.limits is None:
        return sandbox
    try:
        base, controllers = find_base(given)
    except GroupError as error:
        if given:
            raise SandboxError(f"cgroup = {given!r}: {error}; {START}, or leave it out") from None
        return replace(sandbox, notes=(*sandbox.notes, _watched(sandbox, str(error))))
    clear_dead_groups(base)
    return replace(sandbox, group=base, notes=(*sandbox.notes, _kept(controllers)))


def too_much(sandbox: Sandbox, processes: int) -> Iterator[str]:
    """Yield a sentence for each limit whose sum over all processes is too much."""
    if (limits := sandbox.limits) is None:
        return
    memory_mb, tasks = machine_memory().total // MB, most_tasks(of_user=not sandbox.as_another_user)
    with suppress(OSError, ValueError):  # a container has its own limit
        memory_mb = min(memory_mb, int(CONTAINER.read_text(encoding="ascii")) // MB)
    sums = [("memory_mb", limits.memory_mb, "MB of memory", memory_mb), ("threads", limits.threads, "threads", tasks)]
    if isinstance(sandbox.fence, Landlock):  # elsewhere files are memory
        place = tempfile.gettempdir()
        free_mb = shutil.disk_usage(place).free // MB
        sums.append(("copy_mb", sandbox.copy_mb + TEMPORARY_MB, f"MB below {place}", free_mb))
    for key, each, what, most in sums:
        if processes * each > most:
            yield (
                f"If all took what they may, {processes} processes of bots add up to {processes * each:,} {what}, and "
                f"there are {most:,}: lower `{key}` of the sandbox, or play in fewer arenas (docs/faults.md)"
            )


def _kept(controllers: tuple[str, ...]) -> str:
    what = ", ".join(what for controller, what in _KEPT.items() if controller in controllers)
    return f"Resources: the kernel keeps bots to their limits, by control groups: {what}"


def _watched(sandbox: Sandbox, why: str) -> str:
    by_kernel = sandbox.as_another_user or (sandbox.tier is Tier.BUBBLEWRAP and COUNTS_BY_NAMESPACE)
    threads = "The kernel counts threads" if by_kernel else "So are threads"
    return (
        f"Resources: no control group ({why}), so memory is looked at ten times a second. {threads}. "
        f"A bot may be beyond its limit for some tenths of a second. Better: {START}, or name a group with `cgroup`"
    )
