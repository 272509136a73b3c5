"""Choose what enforces limits here: control groups, or the keeper's checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pips_tourney.sandbox.groups import GroupError, clear_dead_groups, find_base
from pips_tourney.sandbox.inspection import COUNTS_BY_NAMESPACE
from pips_tourney.sandbox.tiers import Sandbox, SandboxError, Tier

START: Final = "start the night with `systemd-run --user --scope -p Delegate=yes`"
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
