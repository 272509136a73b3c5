"""SHA-256 without OpenSSL."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

from pips_referee import digest


@pytest.mark.parametrize("size", [0, 1, 40, 63, 64, 65, 1000])
def test_it_is_sha256(size: int) -> None:
    data = Random(size).randbytes(size)
    assert digest.sha256(data).digest() == hashlib.sha256(data).digest()


def test_a_python_without_its_own_takes_that_of_hashlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "HOMES", ("_no_such_module", "hashlib"))
    assert digest._find() is hashlib.sha256
