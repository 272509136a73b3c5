"""A byte-order mark before any file that a person writes for a league."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from pips_sdk.model.prompts import read_prompts
from pips_tourney.bots.find import find_bot
from pips_tourney.league.read import read_league
from pips_tourney.league.suites import read_suite
from pips_tourney.night.log.commitment import read_beacon
from pips_tourney.people.codes import InviteError
from pips_tourney.people.roster import read_roster
from pips_tourney.people.tickets import given_token
from pips_tourney.secret import read_secret


def _said(file: Path) -> str:
    with pytest.raises(InviteError) as raised:
        given_token(file)
    return str(raised.value)


LEAGUE = """
games = ["serpent"]
deals = 1
bots = [{ name = "a", sample = "greedy" }, { name = "b", sample = "random" }]
"""
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "league.toml": (LEAGUE,
                    lambda file: read_league(file).file.deals),
    "my.deals": (f"pips deals 1\none {1:032x}\ntwo {2:032x}\n", lambda file: len(read_suite(file.name, file.parent))),
    "roster.csv": ("name,bot\nAda,ada\n", read_roster),
    "secret": ("5f" * 32, read_secret),
    "beacon": ("round 7", read_beacon),
    "question.txt": ("$question", lambda file: read_prompts(file.parent)),
    "token": ("no token", _said),
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_a_mark_changes_nothing(tmp_path: Path, name: str) -> None:
    text, read = READERS[name]
    file = tmp_path / name
    file.write_bytes(text.encode())
    plain = read(file)
    for mark, encoding in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")):
        file.write_bytes(mark + text.encode(encoding))
        assert read(file) == plain


def test_a_mark_before_bot_toml_and_the_bot(tmp_path: Path) -> None:
    (tmp_path / "go.py").write_text("\ufefffrom pips_sample_bots.serpent.greedy_bot import *\n")
    (tmp_path / "bot.toml").write_text('\ufeffcommand = "python go.py"\ngames = ["serpent"]\n')
    assert find_bot(str(tmp_path)).games() == ("serpent",)
