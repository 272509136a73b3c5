"""A place gives everybody the version that it runs, and says when theirs is another."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from html import unescape
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from pips_referee.game import get_game
from pips_referee.versions import KEY, PACKAGE, difference, versions_line
from pips_tourney.place.pages import games, site
from pips_tourney.workshop.browser import own_wheel
from pips_tourney.workshop.browser.own_wheel import WHEEL, wheel
from tests.pips_tourney.place.conftest import HERE, Place


def test_everybody_gets_what_a_bot_begins_with(place: Place) -> None:
    place.site.address = f"{HERE}/"
    page = place.client.get("/enter").text
    assert f"pip install http://127.0.0.1:8080/files/{WHEEL}" in page and "/files/wichita-starter.zip" in page
    rules = place.client.get("/rules/wichita").text
    assert "<h2>W1 The match</h2>" in rules and "<strong>W1.1</strong>" in rules and "##" not in rules
    assert '<a href="/rules/wichita">All rules</a>' in page and place.client.get("/rules/serpent").status_code == 404
    with zipfile.ZipFile(io.BytesIO(place.client.get("/files/wichita-starter.zip").content)) as starter:
        assert {"my_bot/my_bot.py", "my_bot/README.md"} <= set(starter.namelist())
        assert b"class MyBot(WichitaBot)" in starter.read("my_bot/my_bot.py")
        assert f"`pip install {HERE}/files/{WHEEL}`" in starter.read("my_bot/README.md").decode()
    package = place.client.get("/files/pips-sdk.tgz").content
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        names = archive.getnames()
        about = archive.extractfile("package/package.json")
        assert about is not None and json.load(about)["name"] == "pips-sdk"
    assert {"package/index.js", "package/pips/v1/player.proto"} <= set(names)
    assert place.client.get("/files/pips-sdk.tgz").content == package, "made once"
    for name in ("wichita-rules.md", "invites.csv", "..%2Fclass.toml", "wichita"):
        assert place.client.get(f"/files/{name}").status_code == 404
    assert "Two dice say what to make." in page and "/night/#/play" not in page, "that needs an invite"
    place.enter("ada")
    for address in ("/", "/mine"):  # nothing is handed in yet
        page = place.client.get(address).text
        assert "/files/wichita-starter.zip" in page and "Play it yourself" in page
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    assert "starter.zip" not in place.client.get("/mine").text


def test_nothing_is_handed_out_but_our_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an organiser keeps in a checkout, or beside an installed package."""
    own = ["tournaments/pips_tourney/a.py", "tournaments/first.toml", "seeds/s.deals", "proto/pips/v1/x.proto"]
    others = ["tournaments/secret.toml", "seeds/own.deals", "tournaments/pips_tourney/notes.db", "sdk/js/own.js"]
    root = tmp_path / "root"
    for name in (*own, *others, "proto/pips/v1/x_pb2.py", "tournaments/pips_tourney/__pycache__/a.pyc"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    monkeypatch.setattr(own_wheel, "ROOT", root)
    with pytest.raises(own_wheel.NoWheel, match="the organiser installs Pips"):
        [*own_wheel.own_files()]
    for words in (("init", "-q"), ("add", *own)):
        subprocess.run(["git", *words], cwd=root, check=True)
    assert [name for name, _ in own_wheel.own_files()] == [
        "pips/v1/x.proto", "pips/v1/x_pb2.py", "pips_tourney/a.py", "pips_tourney/leagues/first.toml",
        "pips_tourney/seeds/s.deals",
    ]  # fmt: skip
    installed = root / "tournaments" / "p.dist-info"
    installed.mkdir()
    (installed / "RECORD").write_text("pips_tourney/a.py,,\npips_tourney/__pycache__/a.pyc,,\n../bin/x,,\n")
    monkeypatch.setattr(own_wheel, "distribution", lambda _: Distribution.at(installed))
    assert [*own_wheel.own_files()] == [("pips_tourney/a.py", root / own[0])]


def test_the_words_that_begin_a_bot_are_quoted_and_name_its_wheel(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "openspiel:hearts(must_break_hearts=False)"
    wheels = {"wichita": f"{PACKAGE} 1", other: "pips-own 2.0"}
    monkeypatch.setattr(games, "get_game", lambda name: get_game("wichita"))
    monkeypatch.setattr(games, "wheel_of", wheels.get)
    offered = tuple(map(games.offered, ("wichita", other)))
    monkeypatch.setattr(site, "games_of", lambda _: offered)
    page = unescape(place.client.get("/enter").text)
    assert f"pips-bot new my_js_bot --game '{other}' --lang" in page and "needs the wheel pips-own 2.0" in page
    assert "pips-bot new my_js_bot --game wichita --lang" in page and page.count("needs the wheel") == 1


@pytest.mark.xdist_group("processes")
def test_pip_installs_the_wheel_of_what_runs_here(tmp_path: Path) -> None:
    file, target = tmp_path / WHEEL, tmp_path / "target"
    file.write_bytes(wheel())
    words = ["-m", "pip", "install", "--no-deps", "--no-index", "--no-compile", "--target", str(target), str(file)]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    code = "import pips_sdk; print(pips_sdk.__file__); from pips_tourney.cli import bot; "
    code += "bot.main(['new', 'mine', '--game', 'wichita'])"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(target)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.startswith(str(target)) and (tmp_path / "mine" / "mine.py").is_file()
    assert (target / "bin" / "pips-bot").is_file() and (target / "pips_sdk" / "js" / "package.json").is_file()


def test_another_version_is_told_and_whether_it_matters() -> None:
    line = versions_line()
    number = get_game("wichita").rules_version
    assert difference(line, "This place") == ""
    older = "0.0.1" + line[line.index(" ") :]
    assert difference(older, "This place").endswith("and you have 0.0.1. All rules are the same.")
    told = difference(line.replace(f"wichita={number}", "wichita=77"), "This place")
    assert f"It matters: the rules are other ones in wichita (here {number}, yours 77)." in told
    assert difference("0.0.1 hearts=3", "This place").endswith("All rules are the same.")
    for line in ("", "<b>", "0.0.1  x=1", "0.0.1 wichita=", "x" * 41, "0.0.1\nSet-Cookie: a"):
        assert difference(line, "This place") == ""


def test_a_program_is_told_where_the_places_own_is(place: Place) -> None:
    token = place.people.new_token(place.people.everybody()[0].id)
    said = {"authorization": f"Bearer {token}", KEY: "0.0.1 wichita=0"}
    answer = place.client.post("/api/v1/versions", headers=said, files={"files": ("bot.py", b"pass")}).json()
    assert answer["note"].endswith(f"Its own: pip install http://127.0.0.1:8080/files/{WHEEL}")
    said[KEY] = versions_line()
    answer = place.client.post("/api/v1/versions", headers=said, files={"files": ("bot.py", b"a = 1")}).json()
    assert answer["note"] == ""
