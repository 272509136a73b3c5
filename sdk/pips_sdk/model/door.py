"""A model bot's connection to the organiser's proxy: a socket with JSON lines.

A request has `table`, `question`, `attempt` and `messages`, and the proxy replies with
`text` or `error`. A line with `default` reports that the legal default was played, one
with `markup` that a reply was parsed without its markup. Only the proxy knows the
endpoint and the key.
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
    """A secret name for a seat at a match, in 32 hexadecimal digits."""
    return sha256(b"pips model table" + rng_seed).hexdigest()[:32]


class ModelDoor:
    """The connection to the proxy, opened at the first question."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: Any = None

    @classmethod
    def here(cls) -> ModelDoor | None:
        """The connection configured for this process, if any."""
        path = os.environ.get(DOOR_VARIABLE)
        return cls(path) if path else None

    def ask(self, table: str, question: int, attempt: int, messages: Sequence[ModelMessage]) -> str:
        """The text of the reply; `ModelUnreachable` says why there is none."""
        said = self._send({"table": table, "question": question, "attempt": attempt, "messages": list(messages)})
        if not isinstance(said.get("text"), str):
            raise ModelUnreachable(str(said.get("error") or "the organiser's proxy gave no reply"))
        return str(said["text"])

    def defaulted(self, table: str, question: int) -> None:
        """Report that the legal default was played."""
        self._send({"table": table, "question": question, "default": True})

    def unmarked(self, table: str, question: int) -> None:
        """Report that a reply was parsed without its markup."""
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
