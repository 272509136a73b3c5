"""What a process gets along with its start: its secret, texts and files by descriptor,
a user of its own.

For the keeper, which must start fast: nothing but a little of the standard library.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from pips_tourney.sandbox.limits import FIRST_USER, USERS


class Handover:
    """Descriptors that a new process inherits. `with` closes them here, when it has
    been started.
    """

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
        """Files to read from, by the names that stand for their descriptors. `OSError`
        when one is not there.
        """
        for name, path in files.items():
            self._keep(name, os.open(path, os.O_RDONLY | os.O_CLOEXEC))

    def write_bytes(self, name: str, content: bytes) -> None:
        """Something to read, from memory."""
        descriptor = os.memfd_create(name)
        self._keep(name, descriptor)
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def write_texts(self, texts: Mapping[str, Iterable[str]]) -> None:
        """Lists of texts, each text ended by a zero byte; what stands for a value in
        them is filled in.
        """
        for name, words in texts.items():
            self.write_bytes(name, b"".join(os.fsencode(word) + b"\0" for word in self.fill_all(words)))

    def fill(self, word: str) -> str:
        """A word as it is, or the value that it stands for: `{fd}`, `{user}`, `{NAME}`
        of a file or text.
        """
        return self._values.get(word[1:-1], word) if word[:1] == "{" and word[-1:] == "}" else word

    def fill_all(self, words: Iterable[str]) -> Sequence[str]:
        """The same for many."""
        return [self.fill(word) for word in words]

    def _keep(self, name: str, descriptor: int) -> None:
        self._values[name] = str(descriptor)
        self.descriptors.append(descriptor)


class Users:
    """Numbers of users that nobody else on this machine has now, whichever keeper gave
    them away.
    """

    _NAME: Final = "\0pips-user-{}"

    def __init__(self) -> None:
        self._taken: dict[int, socket.socket] = {}
        self._next = os.getpid()

    def take(self) -> int:
        """One that is free; `OSError` when none is."""
        for number in range(self._next, self._next + USERS):
            user = FIRST_USER + number % USERS
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            with suppress(OSError):
                claim.bind(self._NAME.format(user))  # an abstract name is one process's until it ends
                self._taken[user] = claim
                self._next = number + 1
                return user
            claim.close()
        raise OSError("all numbers of users that bots may have are taken")

    def free(self, user: int | None) -> None:
        """Its last process has ended."""
        if user is not None:
            self._taken.pop(user).close()
