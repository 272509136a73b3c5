"""A filter of system calls, as the classic BPF program that the kernel loads.

It closes channels between a bot's processes, and everything that would widen a bot's
reach:

- kernel keys, watches on files, queries of the page cache, locks that others see
- System V shared memory, other namespaces, other processes' memory
- memory of the kernel that nobody counts: attributes of files, filters of sockets
- the choice of core, of scheduling class and of a session

A refused call returns ENOSYS, so that runtimes do without it. Calls newer than this
list are refused too.

Source: seccomp(2), and linux/filter.h for the encoding of instructions. The keeper
imports this module and must start fast, so it uses little of the standard library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

REFUSED: Final = errno.ENOSYS
FIRST_UNKNOWN: Final = 451
"""First call that no runtime depends on: added by Linux 6.5 and later."""
_X32: Final = 0x4000_0000

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_NUMBER_AT: Final = 0
_MACHINE_AT: Final = 4
_WORDS_AT: Final = 16

ALLOW: Final = 0x7FFF_0000
KILL: Final = 0x8000_0000
_ERROR: Final = 0x0005_0000

_NO_NEW_PRIVILEGES: Final = 38
_SET_SECCOMP: Final = 22
_FILTER_MODE: Final = 2


class Processor(NamedTuple):
    """A processor's name in the kernel, and its column of the table."""

    audit: int
    column: int


MACHINES: Final = {"x86_64": Processor(0xC000_003E, 0), "aarch64": Processor(0xC000_00B7, 1)}

_NONE: Final = -1
CALLS: Final[dict[str, tuple[int, int]]] = {
    # keys, watches
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "inotify_init": (253, _NONE),
    "inotify_init1": (294, 26), "inotify_add_watch": (254, 27), "inotify_rm_watch": (255, 28),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263),
    # queries and commands to the page cache
    "mincore": (27, 232), "preadv2": (327, 286), "pwritev2": (328, 287), "readahead": (187, 213),
    "fadvise64": (221, 223), "sync": (162, 81), "syncfs": (306, 267), "sync_file_range": (277, 84),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_setup": (206, 0), "io_destroy": (207, 1), "io_submit": (209, 2), "io_cancel": (210, 3),
    "io_getevents": (208, 4), "io_pgetevents": (333, 292),
    "vmsplice": (278, 75), "tee": (276, 77), "splice": (275, 76),
    # other processes and the kernel itself
    "userfaultfd": (323, 282), "perf_event_open": (298, 241), "bpf": (321, 280), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "syslog": (103, 116),
    "remap_file_pages": (216, 234), "lookup_dcookie": (212, 18), "modify_ldt": (154, _NONE),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "clone3": (435, 435), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429), "open_tree": (428, 428),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "sethostname": (170, 161), "setdomainname": (171, 162),
    # System V and message queues, locks on shared files
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "msgget": (68, 186),
    "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183), "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185), "flock": (73, 32),
    # core, scheduling class, memory that nobody counts
    "sched_setaffinity": (203, 122), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "setpriority": (141, 140), "ioprio_set": (251, 30), "mbind": (237, 235),
    "set_mempolicy": (238, 237), "set_mempolicy_home_node": (450, 450), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    # calls for administrators only
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "vhangup": (153, 58), "iopl": (172, _NONE), "ioperm": (173, _NONE), "uselib": (134, _NONE),
    "ustat": (136, _NONE), "sysfs": (139, _NONE), "_sysctl": (156, _NONE), "create_module": (174, _NONE),
    "get_kernel_syms": (177, _NONE), "query_module": (178, _NONE), "nfsservctl": (180, 42),
}  # fmt: skip
"""Calls refused whatever their arguments: numbers on x86_64 and on aarch64."""


class Arguments(NamedTuple):
    """A call refused for some values of one argument, compared by its low 32 bits."""

    numbers: tuple[int, int]
    position: int
    values: tuple[int, ...]
    test: int = _EQUAL
    others: bool = False
    """If true, the values are the allowed ones, and all others are refused."""
    error: int = REFUSED
    in_vain: tuple[int, ...] = ()
    """Values for which the call does nothing and reports success."""
    only: tuple[int, int] | None = None
    """Another argument's position and value: the rule applies only to that value."""


_NEW_NAMESPACES: Final = 0x7E02_0000
BY_ARGUMENT: Final[dict[str, Arguments]] = {
    "clone": Arguments((56, 220), 0, (_NEW_NAMESPACES,), _ANY_BIT),
    # F_GETLK, F_OFD_GETLK, F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SETPIPE_SZ. Setting a
    # lock does nothing, because other bots would see locks on devices and system files.
    "fcntl": Arguments((72, 25), 1, (5, 36, 1024, 1025, 1026, 1031), in_vain=(6, 7, 37, 38)),
    # MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE
    "madvise": Arguments((28, 233), 2, (12, 20, 21, 25)),
    # PR_SET_DUMPABLE, PR_MCE_KILL, PR_SET_MM, PR_SCHED_CORE, PR_SET_MEMORY_MERGE
    "prctl": Arguments((157, 167), 0, (4, 33, 35, 62, 67)),
    # TIOCSTI, TIOCLINUX
    "ioctl": Arguments((16, 29), 1, (0x5412, 0x541C)),
    # Linux's own personality, and the query for it
    "personality": Arguments((135, 92), 0, (0, 0xFFFF_FFFF), others=True),
    # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK are allowed. Others, such as AF_VSOCK,
    # belong to no network namespace.
    "socket": Arguments((41, 198), 0, (1, 2, 10, 16), others=True, error=errno.EAFNOSUPPORT),
    # Linux divides a core among sessions first, so a bot with a second one has a double
    # share, of the usual weight. The leader of a session gets the same answer.
    "setsid": Arguments((112, 157), 0, (), others=True, error=errno.EPERM),
    # The call does nothing and reports success: some runtimes set the usual class, and
    # end if that is refused.
    "sched_setscheduler": Arguments((144, 119), 1, (), others=True, error=0),
    # A device's times outlive the process, so setting times does nothing. Programs that
    # unpack files set them.
    "utime": Arguments((132, _NONE), 0, (), others=True, error=0),
    "utimes": Arguments((235, _NONE), 0, (), others=True, error=0),
    "futimesat": Arguments((261, _NONE), 0, (), others=True, error=0),
    "utimensat": Arguments((280, 88), 0, (), others=True, error=0),
    # Attributes of files are memory that no limit counts.
    "setxattr": Arguments((188, 5), 0, (), others=True, error=errno.ENOTSUP),
    "lsetxattr": Arguments((189, 6), 0, (), others=True, error=errno.ENOTSUP),
    "fsetxattr": Arguments((190, 7), 0, (), others=True, error=errno.ENOTSUP),
    # SO_ATTACH_FILTER, SO_ATTACH_BPF, and the same for groups of ports, all of level
    # SOL_SOCKET: the machine's memory for filters is small
    "setsockopt": Arguments((54, 208), 2, (26, 50, 51, 52), only=(1, 1)),
    "socketpair": Arguments((53, 199), 0, (1,), others=True, error=errno.EAFNOSUPPORT),
}

_REFUSED_ALONE: Final[dict[str, tuple[int, int]]] = {
    "bind": (49, 200), "chmod": (90, _NONE), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, _NONE),
    "fchown": (93, 55), "lchown": (94, _NONE), "fchownat": (260, 54),
}  # fmt: skip
ALONE: Final[dict[str, Arguments]] = {
    **BY_ARGUMENT,
    **{name: Arguments(numbers, 0, (), others=True, error=errno.EPERM) for name, numbers in _REFUSED_ALONE.items()},
    # AF_UNIX only: no network namespace separates the bot from the machine's networks
    "socket": BY_ARGUMENT["socket"]._replace(values=(1,)),
    # SO_PASSCRED, SO_PASSPIDFD too: they name a socket, so that others could send to it
    "setsockopt": BY_ARGUMENT["setsockopt"]._replace(values=(*BY_ARGUMENT["setsockopt"].values, 16, 76)),
}
"""The rules for a filter without a namespace.

No network, no named sockets, and no file is given away or opened to others.
"""


def seccomp_filter(machine: str = "", *, alone: bool = False) -> bytes | None:
    """Return the filter for a processor, by default this one; None if there is none.

    `alone` means that the bot has the filter but no namespace.
    """
    found = MACHINES.get(machine or os.uname().machine)
    if found is None:
        return None
    return b"".join(_program(found, ALONE if alone else BY_ARGUMENT))


class Loaded(ctypes.Structure):
    """The C struct `sock_fprog`: a filter as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def enforce(filtered: bytes) -> None:
    """Enforce a filter for the calling process and all that it starts.

    Raises `OSError` if the kernel refuses.
    """
    call = ctypes.CDLL(None, use_errno=True).prctl
    none = ctypes.c_ulong(0)
    if call(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), none, none, none) or call(
        _SET_SECCOMP, ctypes.c_ulong(_FILTER_MODE), ctypes.byref(Loaded(len(filtered) // 8, filtered)), none, none
    ):
        raise OSError(number := ctypes.get_errno(), f"no filter of system calls: {os.strerror(number)}")


def _program(machine: Processor, by_argument: Mapping[str, Arguments]) -> Iterator[bytes]:
    yield _step(_LOAD, _MACHINE_AT)
    yield _step(_EQUAL, machine.audit, 1, 0)
    yield _step(_RETURN, KILL)
    yield _step(_LOAD, _NUMBER_AT)
    yield from _refuse_if(_AT_LEAST, FIRST_UNKNOWN)  # covers x32 too, whose numbers have a high bit
    assert FIRST_UNKNOWN < _X32
    for rule in by_argument.values():
        if rule.numbers[machine.column] == _NONE:
            continue
        body = list(_by_argument(rule))
        yield _step(_EQUAL, rule.numbers[machine.column], 0, len(body))
        yield from body
    for numbers in CALLS.values():
        if (number := numbers[machine.column]) != _NONE:
            yield from _refuse_if(_EQUAL, number)
    yield _step(_RETURN, ALLOW)


def _by_argument(rule: Arguments) -> Iterator[bytes]:
    """Yield the check of one argument.

    Every branch ends in an answer, because the call's number is no longer loaded.
    """
    hit, miss = (ALLOW, _ERROR | rule.error) if rule.others else (_ERROR | rule.error, ALLOW)
    if rule.only is not None:
        position, value = rule.only
        yield _step(_LOAD, _WORDS_AT + 8 * position)
        yield _step(_EQUAL, value, 1, 0)
        yield _step(_RETURN, miss)
    yield _step(_LOAD, _WORDS_AT + 8 * rule.position)  # both machines are little-endian
    for value in rule.values:
        yield _step(rule.test, value, 0, 1)
        yield _step(_RETURN, hit)
    for value in rule.in_vain:
        yield _step(_EQUAL, value, 0, 1)
        yield _step(_RETURN, _ERROR)
    yield _step(_RETURN, miss)


def _refuse_if(test: int, value: int) -> Sequence[bytes]:
    return _step(test, value, 0, 1), _step(_RETURN, _ERROR | REFUSED)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one `struct sock_filter`."""
    return struct.pack("<HBBI", code, if_true, if_false, value)
