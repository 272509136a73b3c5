"""Text from others is printed without its terminal commands."""

from __future__ import annotations

import sys
from unicodedata import category

import pytest

from pips_referee.printable import plain, plain_block
from pips_referee.service.session import MOST_NAME, Session


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("lead Q♠, ça va, 牌 🂡", "lead Q♠, ça va, 牌 🂡"),
        ("\x1b[2Jboom", "\\x1b[2Jboom"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J \x7f", "\\x9b2J \\x7f"),
        ("Fox\nbob: its check passed\r", "Fox\\nbob: its check passed\\r"),
        ("a\u202eb\u200bc\u2028d", "a\\u202eb\\u200bc\\u2028d"),
        ("\ud800 \ue000", "\\ud800 \\ue000"),
        ("if x:\treturn", "if x:   return"),
    ],
)
def test_what_acts_is_written_out(said: str, printed: str) -> None:
    assert plain(said) == printed


@pytest.mark.unmeasured
def test_nothing_that_acts_is_left() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert not {category(char) for char in plain(everything)} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_a_block_keeps_its_lines() -> None:
    assert plain_block("no:\r\n  a\x1b[m\n  b\n") == "no:\n  a\\x1b[m\n  b"


def test_what_a_bot_says_of_itself_is_plain_and_short() -> None:
    session = Session("ann/serpent/0")
    session.connect("\x1b[2JFox\n" + "\x07" * MOST_NAME, ["serpent", "\x1b]0;x\x07"])
    assert session.bot_name.startswith("\\x1b[2JFox\\n\\x07")
    assert len(session.bot_name) == MOST_NAME
    assert session.games == ("serpent", "\\x1b]0;x\\x07")
