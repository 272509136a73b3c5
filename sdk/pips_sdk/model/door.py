"""A model bot's door to the organiser's proxy: one socket, JSON lines both ways.

A line asks with `table`, `question`, `attempt` and `messages`, and the proxy replies
with `text` or `error`. A line with `default` tells that the legal default was played,
one with `markup` that a reply was read without its markup. The proxy knows the endpoint
and the key; nothing here does.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from pips_sdk.model.endpoint import ModelMessage, ModelUnreachable

DOOR_VARIABLE: Final = "PIPS_MODEL_DOOR"
"""The path of the proxy's socket."""


def table_of(rng_seed: bytes) -> str:
    """A seat at a match in 32 hexadecimal digits; nobody can guess another's."""
    return sha256(b"pips model table" + rng_seed).hexdigest()[:32]


class ModelDoor:
    """The connection to the proxy; it is made at the first question."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: Any = None

    @classmethod
    def here(cls) -> ModelDoor | None:
        """The door that this process was given, if any."""
        path = os.environ.get(DOOR_VARIABLE)
        return cls(path) if path else None

    def ask(self, table: str, question: int, attempt: int, messages: Sequence[ModelMessage]) -> str:
        """The reply's text; `ModelUnreachable` says why there is none."""
        said = self._send({"table": table, "question": question, "attempt": attempt, "messages": list(messages)})
        if not isinstance(said.get("text"), str):
            raise ModelUnreachable(str(said.get("error") or "the organiser's proxy gave no reply"))
        return str(said["text"])

    def defaulted(self, table: str, question: int) -> None:
        """Tell that the legal default was played."""
        self._send({"table": table, "question": question, "default": True})

    def unmarked(self, table: str, question: int) -> None:
        """Tell that a reply was read without its markup."""
        self._send({"table": table, "question": question, "markup": True})

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _send(self, line: dict[str, Any]) -> dict[str, Any]:
        try:
            if self._file is None:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(self._path)
                    self._file = connection.makefile("rwb")
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            read = json.loads(self._file.readline() or b"{}")
        except (OSError, ValueError) as error:
            self.close()
            raise ModelUnreachable(f"the organiser's proxy is gone: {error}") from None
        return read if isinstance(read, dict) else {}
