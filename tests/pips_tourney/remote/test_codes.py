"""Codes of invites: how they are written, misread and told from tokens."""

from __future__ import annotations

import re

import pytest

from pips_tourney.remote.codes import ALPHABET, mark_of, new_code, read_code
from pips_tourney.remote.invites import InviteError, Ticket


def test_one_is_read_as_it_was_written() -> None:
    code = new_code(b"a certificate")
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}", str(code))
    assert read_code(str(code)) == code and code.mark == mark_of(b"a certificate") != mark_of(b"another")
    assert new_code(b"a certificate").short != code.short


def test_however_somebody_types_it() -> None:
    code = read_code("1010-89AB-CDEF-GHJK-MNPQ-RSTV")
    for typed in (
        f" {str(code).lower()}\n",
        str(code).replace("-", " "),
        str(code).replace("-", ""),
        str(code).replace("1", "l").replace("0", "o"),
        str(code).replace("1", "I"),
    ):
        assert read_code(typed.strip()) == code == read_code(typed), typed


@pytest.mark.parametrize("text", ["", "0000", "0" * 23, "0" * 25, "U" * 24, "0000-0000-0000-0000-0000-000!", "ä" * 24])
def test_what_is_none(text: str) -> None:
    assert read_code(text) is None
    with pytest.raises(InviteError, match="24 letters and digits"):
        Ticket.read(text)


def test_every_letter_counts() -> None:
    whole = "0123-4567-89AB-CDEF-GHJK-MNPQ"
    assert str(read_code(whole)) == whole
    tickets = {Ticket.read(whole.replace("0", letter)).secret for letter in ALPHABET[:4]}
    assert len(tickets) == 4


def test_no_token_is_taken_for_one() -> None:
    for authority in (b"", b"\x30\x82\x00\x02ab"):
        ticket = Ticket(bytes(range(16)), authority)
        assert read_code(str(ticket)) is None and Ticket.read(str(ticket)) == ticket
