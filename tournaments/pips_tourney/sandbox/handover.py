"""Data for a new process: its secret, texts, files by descriptor, and user.

The keeper imports this module and must start fast, so it imports few others.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from pips_tourney.sandbox.limits import FIRST_USER, USERS

with suppress(ImportError):  # Windows has none
    import fcntl

CLAIMS: Final = "/run/pips-users"
"""The folder where root's keepers lock the user numbers of their bots."""


class Handover:
    """Descriptors that a new process inherits; `with` closes them after its start."""

    def __init__(self, secret: bytes, user: int | None) -> None:
        self._values: dict[str, str] = {"user": "" if user is None else str(user)}
        self._secret = secret
        self.descriptors: list[int] = []

    def __enter__(self) -> Self:
        read, write = os.pipe()
        os.write(write, self._secret)
        os.close(write)
        self._keep("fd", read)
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)

    def open_files(self, files: Mapping[str, str]) -> None:
        """Open files for reading, by the names of their placeholders.

        Raises `OSError` if a file does not exist.
        """
        for name, path in files.items():
            self._keep(name, os.open(path, os.O_RDONLY | os.O_CLOEXEC))

    def write_bytes(self, name: str, content: bytes) -> None:
        """Pass bytes to the process, for reading."""
        descriptor = os.memfd_create(name)
        self._keep(name, descriptor)
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def write_texts(self, texts: Mapping[str, Iterable[str]]) -> None:
        """Pass lists of texts to the process, each text ended by a zero byte.

        Placeholders in the texts are filled in.
        """
        for name, words in texts.items():
            self.write_bytes(name, b"".join(os.fsencode(word) + b"\0" for word in self.fill_all(words)))

    def fill(self, word: str) -> str:
        """Return an argument with its placeholder filled in.

        Placeholders are `{fd}`, `{user}`, and `{NAME}` of a file or text.
        """
        return self._values.get(word[1:-1], word) if word[:1] == "{" and word[-1:] == "}" else word

    def fill_all(self, words: Iterable[str]) -> Sequence[str]:
        """Return the arguments with their placeholders filled in."""
        return [self.fill(word) for word in words]

    def _keep(self, name: str, descriptor: int) -> None:
        self._values[name] = str(descriptor)
        self.descriptors.append(descriptor)


class Users:
    """User numbers that no other keeper of root uses on this machine now.

    A number belongs to the process that locks its file. The folder is closed to others,
    so that no other user can take all numbers.
    """

    def __init__(self, folder: str = CLAIMS) -> None:
        self._folder = folder
        self._taken: dict[int, int] = {}
        self._next = os.getpid()

    def take(self) -> int:
        """Return a free user number; raises `OSError` if there is none."""
        os.makedirs(self._folder, 0o700, exist_ok=True)  # noqa: PTH103 - no pathlib: it starts slowly
        about = os.lstat(self._folder)
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
            raise OSError(errno.EUSERS, f"{self._folder} is not a folder of this user's alone")
        for number in range(self._next, self._next + USERS):
            user = FIRST_USER + number % USERS
            claim = os.open(f"{self._folder}/{user}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(claim)
            else:
                self._taken[user] = claim
                self._next = number + 1
                return user
        raise OSError(errno.EUSERS, "all numbers of users that bots may have are taken")

    def free(self, user: int | None) -> None:
        """Give a user number back after the end of its last process."""
        if user is not None:
            os.close(self._taken.pop(user))
