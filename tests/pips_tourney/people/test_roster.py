"""Rosters, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.people.roster import MOST_PEOPLE, RosterError, people_of, read_roster
from pips_tourney.people.store import Invited


def test_a_roster_has_names_and_may_have_bots(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("\ufeffBot,Name\nqueen,Ada Lovelace\n,Bo/../x\n\n", encoding="utf-8")
    assert read_roster(tmp_path / "roster.csv") == [Invited("Ada Lovelace", "queen"), Invited("Bo/../x")]
    for apart in ",;\t":
        assert people_of("name,bot\nAda,queen\n".replace(",", apart)) == [Invited("Ada", "queen")]
    assert people_of('"Lovelace; Ada"\n') == [Invited("Lovelace; Ada")]
    assert people_of("Ada\nBo\n") == [Invited("Ada"), Invited("Bo")]
    assert people_of("name,team\nCy,Foxes\nDee,\n") == [Invited("Cy", team="Foxes"), Invited("Dee")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no names"),
        ("name,bot\n,x\n", "line 2: a name has"),
        ("Ada\nAda\n", "line 2: Ada is there twice"),
        ("name,bot\nAda,ada v2\n", "line 2: no bot's name ends with v2"),
        ("name,until\nAda,2026-12-17 18:00\nBo,soon\n", "line 3: soon is no time such as 2026"),
        ("A\x1b[2J\n", "line 1: a name has"),
        ("x" * 81, "line 1: a name has"),
        ("\n".join(map(str, range(MOST_PEOPLE + 1))), "names: 2000 may be"),
        ("a" * 140_000, "is no CSV"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(RosterError, match=why):
        people_of(text)


def test_a_roster_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"J\xf6rg\n")
    for name in ("none.csv", "latin.csv"):
        with pytest.raises(RosterError, match="cannot be read"):
            read_roster(tmp_path / name)
