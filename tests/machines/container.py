"""`python -m tests.machines.container COMMAND`: root as in a container of Docker.

The process keeps the capabilities that Docker leaves to root, and its filter refuses
what Docker's refuses then: namespaces, mounts, keys, other processes' memory, settings
of the kernel. Sources: Docker's pages on capabilities and on its profile of seccomp.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from typing import Final

from pips_tourney.sandbox import seccomp

KEPT: Final = {
    "CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "FSETID": 4, "KILL": 5, "SETGID": 6, "SETUID": 7, "SETPCAP": 8,
    "NET_BIND_SERVICE": 10, "NET_RAW": 13, "SYS_CHROOT": 18, "MKNOD": 27, "AUDIT_WRITE": 29, "SETFCAP": 31,
}  # fmt: skip
REFUSED: Final = (
    "acct", "add_key", "bpf", "clock_adjtime", "clock_settime", "create_module", "delete_module", "fanotify_init",
    "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "ioperm", "iopl", "kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie", "mbind",
    "migrate_pages", "mount", "mount_setattr", "move_mount", "move_pages", "open_by_handle_at", "open_tree",
    "perf_event_open", "pivot_root", "pidfd_getfd", "query_module", "quotactl", "quotactl_fd", "reboot", "request_key",
    "set_mempolicy", "setdomainname", "sethostname", "setns", "settimeofday", "swapoff", "swapon", "syslog", "umount2",
    "unshare", "userfaultfd", "uselib", "vhangup",
)  # fmt: skip
NEW_NAMESPACES: Final = 0x7E02_0000
_DROP_BOUND: Final = 24


def docker_filter() -> bytes:
    return b"".join(_steps(seccomp.MACHINES[os.uname().machine].column))


def _steps(machine: int) -> Iterator[bytes]:
    step = seccomp._step
    refuse = step(seccomp._RETURN, seccomp._ERROR | errno.EPERM)
    yield step(seccomp._LOAD, seccomp._NUMBER_AT)
    for name in REFUSED:
        if (number := seccomp.CALLS[name][machine]) >= 0:
            yield step(seccomp._EQUAL, number, 0, 1)
            yield refuse
    yield step(seccomp._EQUAL, seccomp.CALLS["clone3"][machine], 0, 1)
    yield step(seccomp._RETURN, seccomp._ERROR | errno.ENOSYS)
    yield step(seccomp._EQUAL, seccomp.BY_ARGUMENT["clone"].numbers[machine], 0, 3)
    yield step(seccomp._LOAD, seccomp._WORDS_AT)
    yield step(seccomp._ANY_BIT, NEW_NAMESPACES, 0, 1)
    yield refuse
    yield step(seccomp._RETURN, seccomp.ALLOW)


def confine() -> None:
    """Confine this process; its capabilities go with the next program."""
    control = ctypes.CDLL(None, use_errno=True).prctl
    program = seccomp.Loaded(len(filtered := docker_filter()) // 8, filtered)
    if control(seccomp._SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "no filter")
    for number in range(41):
        if number not in KEPT.values():
            control(_DROP_BOUND, ctypes.c_ulong(number), 0, 0, 0)


if __name__ == "__main__":
    confine()
    os.execvp(sys.argv[1], sys.argv[1:])
