"""Invites for all players on one sheet."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.people.codes import Code
from pips_tourney.people.store import People
from pips_tourney.remote.certificates import host_folder

LEAGUE = 'game = "serpent"\nbots = [{ name = "ada", remote = true }, { name = "bo", remote = true }]\n'


def test_the_sheet_has_a_line_and_a_code_for_each_and_is_its_owners_alone(tmp_path: Path) -> None:
    league = tmp_path / "night.toml"
    league.write_text(LEAGUE, encoding="utf-8")
    words = ["invite", str(league), "--all", "--address", "192.168.0.5:7700"]
    told = CliRunner().invoke(main, words, catch_exceptions=False)
    assert told.exit_code == 0 and "PIPS_TOKEN" not in told.output
    place = tmp_path / "night-invites.html"
    text = place.read_text(encoding="utf-8")
    tokens = re.findall(r"PIPS_TOKEN=(\S+) pips-bot join 192.168.0.5:7700 my_bot.py", unescape(text))
    with People(host_folder(league)) as people:
        kept = [*people.invites().values()]
    assert [Code.read(token).sha256 for token in tokens] == kept and len(kept) == 2
    assert len(re.findall(r"<svg [^>]*viewBox", text)) == 2 and not re.search(r"<svg [^>]*width=", text), (
        "it fills its box"
    )
    assert text.count("<svg") == 2 and place.stat().st_mode & 0o077 == 0
    assert CliRunner().invoke(main, [*words, "ada"]).exit_code == 2
