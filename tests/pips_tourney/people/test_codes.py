"""Codes of invites: how they are written and misread."""

from __future__ import annotations

import re

import pytest

from pips_tourney.people.codes import ALPHABET, Code, InviteError, mark_of, new_code


def test_one_is_read_as_it_was_written() -> None:
    code = new_code(mark_of(b"a certificate"))
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}", str(code))
    assert Code.read(str(code)) == code and code.mark == mark_of(b"a certificate") != mark_of(b"another")
    assert new_code(code.mark).short != code.short
    assert Code.read(str(code)).secret == code.secret and len(code.secret) == 16


def test_where_no_bot_dials_in_one_is_shorter() -> None:
    code = new_code()
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]", str(code))
    assert Code.read(str(code)) == code and code.mark == b""
    assert Code.read("0000-0000-0000-1") == Code((1).to_bytes(8, "big"))


def test_however_somebody_types_it() -> None:
    code = Code.read("1010-89AB-CDEF-GHJK-MNPQ-RSTV")
    for typed in (
        f" {str(code).lower()}\n",
        str(code).replace("-", " "),
        str(code).replace("-", ""),
        str(code).replace("1", "l").replace("0", "o"),
        str(code).replace("1", "I"),
    ):
        assert Code.read(typed.strip()) == code == Code.read(typed), typed


@pytest.mark.parametrize(
    "text", ["", "0000", "0" * 23, "0" * 25, "0" * 13, "Z" * 13, "U" * 24, "0000-0000-0000-0000-0000-000!", "ä" * 24]
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(InviteError, match="13 or 24 letters and digits"):
        Code.read(text)


def test_every_letter_counts() -> None:
    whole = "0123-4567-89AB-CDEF-GHJK-MNPQ"
    assert str(Code.read(whole)) == whole
    assert len({Code.read(whole.replace("0", letter)).secret for letter in ALPHABET[:4]}) == 4
