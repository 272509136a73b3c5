"""Bots of a league that ask a model: entries, mistakes, fingerprints, what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pips_sdk.model.settings import SETTINGS_VARIABLE
from pips_tourney.league.league import League
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.model_bots import ModelEntry, missing_keys, unready
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play.notes import league_notes
from pips_tourney.sandbox.tiers import NO_SANDBOX
from pips_tourney.workshop.checks.class_check import check_class
from tests.model_stub import KEY, model_stub

MODEL = 'endpoint = "http://127.0.0.1:9/v1", name = "m"'


def league(folder: Path, model: str = MODEL, more: str = "", top: str = "") -> League:
    (folder / "night.toml").write_text(
        f'games = ["serpent"]\ndeals = {{ count = 4 }}\n{top}\n[[bots]]\nname = "gpt"\nmodel = {{ {model} }}\n{more}\n'
        '[[bots]]\nname = "bo"\nsample = "greedy"\n',
        encoding="utf-8",
    )
    return read_league(folder / "night.toml")


def settings(of: League) -> dict[str, Any]:
    (bot,) = (bot for bot in of.file.bots if bot.model is not None)
    found: dict[str, Any] = json.loads(of.program(bot, "serpent").env[SETTINGS_VARIABLE])
    return found


def mark(of: League) -> str:
    return of.fingerprint(of.file.bots[0], "serpent")


def test_a_model_stands_alone_and_is_told_how_to_play_but_not_whom_to_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    found = league(tmp_path, f'{MODEL}, legal = false, rethinks = 2, unreadable = "legal", key_env = "THE_KEY"')
    program = found.program(found.file.bots[0], "serpent")
    assert program.command[1:] == ("-P", "-m", "pips_sdk.model")
    told = settings(found)
    assert (told["legal"], told["rethinks"], told["unreadable"], told["answer_s"]) == (False, 2, "legal", 0.9)
    assert not [value for value in program.env.values() if KEY in value or "127.0.0.1:9" in value]
    model = found.file.bots[0].model
    assert model is not None and model.model(1000).endpoint.key == KEY


def test_a_command_of_ones_own_may_ask_too(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("", encoding="utf-8")
    found = league(tmp_path, more='command = "python mine.py"')
    assert found.program(found.file.bots[0], "serpent").command[-1] == "mine.py"
    assert settings(found)["rethinks"] == 1
    before = mark(found)
    assert mark(league(tmp_path, f"{MODEL}, legal = false", 'command = "python mine.py"')) != before


def test_without_a_clock_there_is_time(tmp_path: Path) -> None:
    assert settings(league(tmp_path, top="clock = { answer_ms = 0 }"))["answer_s"] == 600


def test_deals_are_played_once_unless_the_endpoint_is_trusted(tmp_path: Path) -> None:
    def rotations(model: str, top: str = "") -> int:
        return len(list(fixtures(make_programme(league(tmp_path, model, top=top)))))

    assert rotations(MODEL) == 4
    assert rotations(f"{MODEL}, trusted = true") == 8
    assert rotations(MODEL, "duplicate = true") == 8


def test_another_model_or_prompt_is_another_version_and_a_price_is_not(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "again.txt").write_text("No.", encoding="utf-8")
    prompts = f'{MODEL}, prompts = "words"'
    versions = [
        mark(league(tmp_path, model))
        for model in (
            MODEL, MODEL.replace('"m"', '"n"'), f"{MODEL}, legal = false", f"{MODEL}, params = {{ temperature = 1 }}",
            prompts,
        )
    ]  # fmt: skip
    (tmp_path / "words" / "again.txt").write_text("Never.", encoding="utf-8")
    versions.append(mark(league(tmp_path, prompts)))
    assert len(set(versions)) == 6
    same = f'{MODEL}, price_in = 1.0, max_cost = 5.0, key_env = "K", at_once = 1, trusted = true'
    assert mark(league(tmp_path, same)) == versions[0]
    assert mark(league(tmp_path, top="clock = { answer_ms = 5000 }")) == versions[0]


@pytest.mark.parametrize(
    ("model", "more", "why"),
    [
        (MODEL, "remote = true", "a model goes with a command in Python, or stands alone, not with `remote = true`"),
        (MODEL, 'sample = "greedy"', "not with a sample"),
        (MODEL, 'command = "python x.py"\nprotocol = "lines"', 'not with `protocol = "lines"`'),
        (f'{MODEL}, prompts = "gone"', "", "bots[0].model.prompts: there is no folder"),
        (f"{MODEL}, max_cost = 5.0", "", "bots[0].model.max_cost: there are no prices"),
        (f"{MODEL}, params = {{ stream = true }}", "", "bots[0].model.params: stream is set by the proxy"),
        (f"{MODEL}, rethink = 2", "", "there is no such entry; did you mean rethinks?"),
        ('endpoint = "ftp://x", name = "m"', "", "bots[0].model.endpoint"),
        ('endpoint = "http://user:pw@x/v1", name = "m"', "", "bots[0].model.endpoint"),
        ('endpoint = "http://x/v1"', "", "bots[0].model.name: is missing"),
    ],
)
def test_mistakes(tmp_path: Path, model: str, more: str, why: str) -> None:
    with pytest.raises(LeagueError) as error:
        league(tmp_path, model, more)
    assert why in str(error.value)


def test_on_a_cluster_there_is_no_proxy(tmp_path: Path) -> None:
    with pytest.raises(LeagueError, match="bots that ask a model are for a league with engine"):
        league(tmp_path, top='engine = "dask"')


def test_a_missing_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THE_KEY", raising=False)
    bots = league(tmp_path, f'{MODEL}, key_env = "THE_KEY"').file.bots
    assert missing_keys({bot.name: bot.model for bot in bots if bot.model}) == [
        "gpt: the variable THE_KEY, which holds its key, is not set"
    ]


def test_the_organiser_is_told_who_asks_whom_and_of_a_short_clock(tmp_path: Path) -> None:
    found = league(tmp_path, f"{MODEL}, price_in = 1.0, max_cost = 5.0")
    told = "\n".join(league_notes(found, make_programme(found), NO_SANDBOX, clock=False))
    assert "gpt asks m at http://127.0.0.1:9/v1, for 5 at most" in told
    assert "gpt has 1000 ms for an answer, its model's replies included" in told
    found = league(tmp_path, top="clock = { answer_ms = 60000 }")
    assert "60000" not in "\n".join(league_notes(found, make_programme(found), NO_SANDBOX, clock=False))


def entries(*models: str) -> dict[str, ModelEntry]:
    return {f"gpt{number}": ModelEntry(endpoint=url, name="m") for number, url in enumerate(models)}


def test_each_model_is_asked_once_before_a_night() -> None:
    with model_stub() as stub, model_stub() as silent:
        silent.down = 401, "who are you?"
        found = unready(entries(stub.url, silent.url, silent.url))
        assert (stub.probes, silent.probes) == (1, 1)
    assert list(found) == ["gpt1", "gpt2"]
    assert found["gpt1"].endswith("the server answered with status 401: who are you?")


def test_a_client_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert unready(entries("http://127.0.0.1:9/v1")) == {
        "gpt0": "models are asked with httpx2, which is not installed: pip install 'pips-tourney[models]'"
    }


def test_a_check_asks_the_model_once_and_plays_no_match_for_money(tmp_path: Path) -> None:
    with model_stub() as stub:
        league(tmp_path, f'endpoint = "{stub.url}", name = "m"')
        (ready,) = check_class(tmp_path / "night.toml").checked
        assert [*ready.letter()] == ["gpt is ready: its model replied."]
        assert not stub.bodies
        stub.down = 404, "no such model"
        (silent,) = check_class(tmp_path / "night.toml").checked
    assert silent.verdict.startswith("Its model gave no reply. ")
    assert "status 404: no such model" in silent.verdict
