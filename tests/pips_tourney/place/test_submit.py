"""`pips-bot submit` at a place that is served, whose checks a test carries out."""

from __future__ import annotations

import io
import json
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main
from pips_tourney.workshop.submit import Away, NotHandedIn, PlaceClient, _packed, wait_for_check, wait_for_interval
from tests.pips_tourney.place.opened import OpenPlace, opened


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPlace]:
    with opened(tmp_path_factory.mktemp("place")) as place:
        yield place


def token(place: OpenPlace, bot: str) -> str:
    return place.people.new_token(next(person.id for person in place.people.everybody() if person.bot == bot))


def submit(place: OpenPlace, bot: str, path: Path, state: str, *more: str) -> tuple[int, str]:
    """Run the command; meanwhile the version that it hands in is checked."""
    known = len(place.hand_ins.all())

    def check() -> None:
        while len(place.hand_ins.all()) == known:
            time.sleep(0.02)
        place.hand_ins.set_state(place.hand_ins.all()[-1].id, state, "what the check says")

    checking = threading.Thread(target=check)
    checking.start()
    words = ["submit", str(path), "--to", place.base, *more]
    ran = CliRunner().invoke(main, words, env={"PIPS_PLACE_TOKEN": token(place, bot)})
    checking.join()
    return ran.exit_code, ran.output


def test_a_folder_is_handed_in_and_its_results_are_written(
    place: OpenPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = tmp_path / "my_bot"
    (bot / "__pycache__").mkdir(parents=True)
    (bot / "__pycache__" / "bot.pyc").write_bytes(b"x")
    (bot / "bot.py").write_text("a = 1\n")
    results = tmp_path / "results.json"
    code, said = submit(place, "ada", bot, "ready", "--results", str(results))
    assert code == 0 and "ada is handed in." in said and "what the check says" in said
    assert json.loads(results.read_text())["score"] == 1.0
    client = PlaceClient(place.base, token(place, "ada"))
    assert {row["contest"] for row in wait_for_interval(client, 2)} >= {"serpent", "wichita"}
    monkeypatch.setattr("pips_tourney.workshop.submit.LONGEST_S", 4.0)
    with pytest.raises(NotHandedIn, match="has no 99 deals after 4 s"):
        wait_for_interval(client, 99, lambda _: None)
    folder = place.hand_ins.files(place.hand_ins.all()[-1])
    assert [path.name for path in folder.rglob("*")] == ["bot.py"]


@pytest.mark.parametrize("is_away", [False, True])
def test_results_are_written_even_if_the_interval_does_not_come(
    place: OpenPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_away: bool
) -> None:
    ask = PlaceClient.ask

    def too_long(*_: object) -> None:
        raise NotHandedIn("it is handed in, but takes long")

    def away_at_last(client: PlaceClient, what: str, *more: Any) -> dict[str, Any]:
        if is_away and what == "results.json":
            raise Away("the place does not answer")
        return ask(client, what, *more)

    monkeypatch.setattr("pips_tourney.cli.bots.submit.wait_for_interval", too_long)
    monkeypatch.setattr(PlaceClient, "ask", away_at_last)
    (tmp_path / "bot.py").write_text("a = 1\n")
    results = tmp_path / "results.json"
    code, said = submit(place, "ada", tmp_path / "bot.py", "ready", "--wait", "--results", str(results))
    assert code == 2 and "it is handed in, but takes long" in said and "does not answer" not in said
    written = json.loads(results.read_text())
    assert written.get("score") == (None if is_away else 1) and (not is_away or "takes long" in written["output"])


@pytest.mark.parametrize(
    ("to", "token", "why"),
    [("http://127.0.0.1:1", "pips_x", "does not answer"), ("", "pips_wrong", "Enter with"), ("", "", "needs a token")],
)
def test_results_say_why_nothing_was_handed_in(place: OpenPlace, tmp_path: Path, to: str, token: str, why: str) -> None:
    (tmp_path / "bot.py").write_text("a = 1\n")
    results = tmp_path / "results.json"
    words = ["submit", str(tmp_path / "bot.py"), "--to", to or place.base, "--results", str(results)]
    ran = CliRunner().invoke(main, words, env={"PIPS_PLACE_TOKEN": token})
    assert ran.exit_code == 2 and why in ran.output
    written = json.loads(results.read_text())
    assert written["score"] == 0 and written["tests"] == [] and why in written["output"]


def test_results_are_written_if_the_place_is_away_at_last(
    place: OpenPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text("a = 1\n")
    results, ask = tmp_path / "results.json", PlaceClient.ask

    def away_at_last(client: PlaceClient, what: str, *more: Any) -> dict[str, Any]:
        if what == "results.json":
            raise Away("the place does not answer")
        return ask(client, what, *more)

    monkeypatch.setattr(PlaceClient, "ask", away_at_last)
    code, _ = submit(place, "ada", tmp_path / "bot.py", "ready", "--results", str(results))
    written = json.loads(results.read_text())
    assert code == 2 and written["output"] == "the place does not answer"
    assert "score" not in written, "a ready bot has not earned 0 points"


def test_a_bot_that_is_refused_ends_with_1(place: OpenPlace, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("a = 1\n")
    code, said = submit(place, "bo", tmp_path / "bot.py", "refused")
    assert code == 1 and "what the check says" in said


def test_what_waits_is_told(place: OpenPlace, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("a = 1\n")
    client, said = PlaceClient(place.base, token(place, "cy")), list[str]()
    version = client.submit(tmp_path / "bot.py")["id"]
    states = iter([("checking", "Match 1 of serpent is played."), ("ready", "fine")])
    found = wait_for_check(client, version, said.append, lambda _: place.hand_ins.set_state(version, *next(states)))
    assert found["state"] == "ready" and said == ["Ahead of it: 0.", "Match 1 of serpent is played."]


@pytest.mark.parametrize(
    ("bot", "to", "why"),
    [
        ("nothing", None, "there is no file or folder"),
        ("bot.py", "ftp://x", "is no address"),
        ("bot.py", "http://127.0.0.1:1", "does not answer"),
        ("empty", None, "there is no file in it"),
    ],
)
def test_what_cannot_be_handed_in(place: OpenPlace, tmp_path: Path, bot: str, to: str | None, why: str) -> None:
    (tmp_path / "bot.py").write_text("a = 1\n")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotHandedIn, match=why):
        PlaceClient(to or place.base, token(place, "bo")).submit(tmp_path / bot)


def test_a_token_that_is_none(place: OpenPlace, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("a = 1\n")
    words = ["submit", str(tmp_path / "bot.py"), "--to", place.base]
    assert "needs a token" in CliRunner().invoke(main, words).output
    (tmp_path / "token").write_text("pips_wrong\n")
    wrong = CliRunner().invoke(main, [*words, "--token-file", str(tmp_path / "token")])
    assert wrong.exit_code == 2 and "Enter with your invite first" in wrong.output
    assert "cannot be read" in CliRunner().invoke(main, [*words, "--token-file", str(tmp_path / "none")]).output


@pytest.mark.parametrize(
    ("to", "token_of", "ca", "why"),
    [
        ("https://127.0.0.1:1", "pips_x", "none.pem", "is no certificate that can be read"),
        ("http://", "pips_x", None, "does not answer"),
        ("http://127.0.0.1:1", "pips_x\nsecret", None, "the token is one word"),
    ],
)
def test_what_is_mistyped_is_said(tmp_path: Path, to: str, token_of: str, ca: str | None, why: str) -> None:
    with pytest.raises(NotHandedIn, match=why) as refused:
        PlaceClient(to, token_of, None if ca is None else tmp_path / ca).me()
    assert "secret" not in str(refused.value)


class Shaky(PlaceClient):
    """A place that is away at first; then the version waits for ever."""

    def me(self) -> dict[str, Any]:
        if next(away):
            raise Away("the place does not answer")
        return {"version": {"id": 1, "state": "waiting", "before": 0}}


away: Iterator[bool] = iter(())


def test_a_place_that_is_away_is_asked_again_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Shaky("http://x", "x")
    monkeypatch.setattr("pips_tourney.workshop.submit.LONGEST_S", 6.0)
    monkeypatch.setitem(globals(), "away", iter([True, True, *[False] * 9]))
    with pytest.raises(NotHandedIn, match="it is handed in, but has not been checked after 6 s"):
        wait_for_check(here, 1, lambda _: None, lambda _: None)
    monkeypatch.setattr("pips_tourney.workshop.submit.AWAY_S", 0.0)
    monkeypatch.setitem(globals(), "away", iter([True]))
    with pytest.raises(NotHandedIn, match="it is handed in, but the place does not answer"):
        wait_for_check(here, 1, lambda _: None, lambda _: None)


def test_only_what_lies_in_the_folder_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / ".venv" / "bot"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "x").write_text("x")
    (folder / "bot.py").write_text("a = 1\n")
    with zipfile.ZipFile(io.BytesIO(_packed(folder)[1])) as made:
        assert made.namelist() == ["bot.py"]
    (tmp_path / "bött.zip").write_bytes(b"x")
    assert _packed(tmp_path / "bött.zip")[0] == "bot.zip"
