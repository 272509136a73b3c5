"""A night in one process refuses a bot that it would play in another way."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney import system
from pips_tourney.bots.found import BotProblem
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.system import NeedsLinux
from pips_tourney.workshop.here import EngineHere, engine_here
from tests.pips_tourney.workshop.conftest import SERPENT


def engine(folder: Path, bot: str) -> EngineHere:
    (folder / "bot.py").write_text(f"{SERPENT}    pass\n", encoding="utf-8")
    league = folder / "night.toml"
    others = '{ name = "bo", sample = "random" }'
    league.write_text(f'game = "serpent"\nbots = [{{ name = "ada", {bot} }}, {others}]\n', encoding="utf-8")
    read = read_league(league)
    return engine_here(read, make_programme(read))


@pytest.mark.parametrize(
    "bot",
    [
        'command = "python bot.py --depth 3", trusted = true',
        'command = "python bot.py", trusted = true, env = { DEPTH = "3" }',
        'sample = "random", env = { DEPTH = "3" }',
    ],
)
def test_words_and_variables_of_its_own_are_not_left_out(tmp_path: Path, bot: str) -> None:
    made = engine(tmp_path, bot)
    assert made.class_of("bo", "serpent").game == "serpent"
    with pytest.raises(BotProblem, match="ada is started with words or variables of its own"):
        made.class_of("ada", "serpent")


def test_a_bot_that_asks_a_model_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "is_linux", lambda: False)
    with pytest.raises(NeedsLinux, match=r"bots that ask a model \(ada\) needs Linux"):
        engine(tmp_path, 'model = { endpoint = "http://localhost:1/v1", name = "m" }')
