"""Datasets: every decision, nothing hidden, and a bot that learns from them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from pips_referee.game import REGISTRY
from pips_referee.games.wichita.best import best_layout
from pips_referee.games.wichita.values import Lay, WichitaView
from pips_referee.records.record import read_record
from pips_sdk.spaces import space_of
from pips_sdk.spaces.wichita import WichitaSpace
from pips_tourney.analysis import dataset
from pips_tourney.analysis.dataset import Rows, rows_of
from pips_tourney.analysis.decided import decisions
from pips_tourney.cli.tourney import main
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from tests.pips_tourney.analysis.matches import GREEDY, records
from tests.pips_tourney.web.nights import small_night
from tests.records import random_record

LEARNED = Path(__file__).parents[3] / "sample_bots" / "learned"


def read(file: Path) -> dict[str, Any]:
    """The arrays of a file, by name."""
    with np.load(file) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("game", REGISTRY)
def test_a_row_is_what_the_seat_knew_and_nothing_else(game: str) -> None:
    """In a world that only the hidden cards tell from the true one it is the same."""
    (record,) = records(game, [GREEDY[game]] * 2, 1)
    rows = rows_of(record, 7, ["ada", "bo"])
    rows = Rows._make(column[rows.bots == 0] for column in rows)
    space, rng, at = space_of(game, record.header.options, 2), Random(1), 0
    for decision in decisions(record, "ada"):
        numbers = space.spell(decision.view, decision.action)
        other = decision.view.sample_world(rng).view(decision.seat)
        for step, number in enumerate(numbers):
            assert rows.observations[at].tolist() == space.observe(other, numbers[:step])
            assert np.flatnonzero(rows.masks[at]).tolist() == sorted(space.numbers(other, numbers[:step]))
            assert (rows.actions[at], rows.masks[at][number]) == (number, 1)
            assert (rows.seats[at], rows.questions[at]) == (decision.seat, decision.number)
            at += 1
    assert at == len(rows.actions) > 3
    assert set(rows.matches.tolist()) == {7}
    first = record.outcome.places[0] == 1 < record.outcome.places[1]
    assert set(rows.rewards.tolist()) == ({1.0} if first else {0.0, -1.0} & set(rows.rewards.tolist()))


def test_a_match_of_long_layouts_has_all_its_rows() -> None:
    """Layouts that are not the best take several rows: more than there are answers."""
    record = read_record(random_record("wichita"))
    names = record.header.names
    rows = rows_of(record, 0, names)
    space = space_of("wichita", record.header.options, len(names))
    spelt: list[int] = []
    observed: list[list[int]] = []
    legal: list[list[int]] = []
    for decision in sorted((each for name in names for each in decisions(record, name)), key=lambda each: each.seat):
        numbers = space.spell(decision.view, decision.action)
        if isinstance(decision.action, Lay) and isinstance(view := decision.view, WichitaView):
            best = best_layout(view.hand, view.dice, bonus=view.stock_size > 0)
            ranks = [
                sorted(sorted(card.rank for card in stack) for stack in of.stacks) for of in (decision.action, best)
            ]
            assert (numbers == (WichitaSpace.BEST,)) == (ranks[0] == ranks[1])
        spelt += numbers
        observed += [space.observe(decision.view, numbers[:step]) for step in range(len(numbers))]
        legal += [sorted(space.numbers(decision.view, numbers[:step])) for step in range(len(numbers))]
    order = np.argsort(rows.seats, kind="stable")
    assert rows.actions[order].tolist() == spelt
    assert rows.observations[order].tolist() == observed
    assert [np.flatnonzero(mask).tolist() for mask in rows.masks[order]] == legal
    assert len(spelt) > 2 * len(record.answers)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night of all four games that is over."""
    return small_night(tmp_path_factory.mktemp("night"), deals=1)


def test_files_say_what_their_rows_mean(night: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "PART", 40)
    with read_store(night) as store:
        total = dataset.write_dataset(last_night(store), tmp_path, 1)
    files = [read(file) for file in sorted(tmp_path.glob("*.npz"))]
    assert sum(len(file["actions"]) for file in files) == total
    assert max(len(file["actions"]) for file in files) == 40
    assert {str(file["game"]) for file in files} == set(REGISTRY)
    for file in files:
        assert file["observations"].shape == (len(file["actions"]), file["field_sizes"].sum())
        assert {str(name) for name in file["bot_names"]} == {"ada", "bo", "cy"}
        assert file["matches"].max() < len(file["match_ids"])
        json.loads(str(file["options"]))


def test_a_data_set_that_cannot_be_says_why(night: Path, tmp_path: Path) -> None:
    (tmp_path / "early").mkdir()
    early = small_night(tmp_path / "early", played=1, deals=1)
    nothing = CliRunner().invoke(main, ["export", str(early), "--as", "dataset", "-o", str(tmp_path)])
    assert (nothing.exit_code, "no decision is left" in nothing.output) == (2, True)
    (tmp_path / "file").touch()
    where = str(tmp_path / "file" / "folder")
    closed = CliRunner().invoke(main, ["export", str(night), "--as", "dataset", "-o", where])
    assert (closed.exit_code, "cannot be written" in closed.output) == (2, True)


@pytest.mark.long
def test_a_network_learns_from_a_dataset_and_plays(night: Path, tmp_path: Path) -> None:
    """The page on training does the same with ten thousand matches."""
    with read_store(night) as store:
        dataset.write_dataset(last_night(store), tmp_path / "rows", 1)
    for other in {*(tmp_path / "rows").iterdir()} - {*(tmp_path / "rows").glob("wichita-*")}:
        other.unlink()
    (tmp_path / "learned").mkdir()
    for name in ("learned/train.py", "learned/bot.py"):
        (tmp_path / name).write_bytes((LEARNED / Path(name).name).read_bytes())
    (tmp_path / "learned.toml").write_text(
        'games = ["wichita"]\ndeals = 1\n'
        'bots = [{ path = "learned", trusted = true }, { name = "greedy", sample = "greedy" }]\n', encoding="utf-8",
    )  # fmt: skip
    trained = [
        "python",
        "learned/train.py",
        "rows",
        "learned/weights.npz",
        "--bot",
        "ada",
        "--passes",
        "2",
        "--seed",
        "2",
    ]
    played = ["pips-bot", "play", "learned/bot.py", "greedy", "-n", "2", "--in-process"]
    said = ""
    for words in (trained, played, ["pips-tourney", "run", "learned.toml"]):
        words[0] = str(Path(sys.executable).with_name(words[0]))
        ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        said += ended.stdout
    assert "against greedy" in said
    assert said.count("│ none") == 2, "the column of faults"
    assert "by a fault" not in said


def test_a_folder_without_a_dataset_is_named(tmp_path: Path) -> None:
    words = [sys.executable, str(LEARNED / "train.py"), str(tmp_path), str(tmp_path / "weights.npz")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "there is no dataset in" in ended.stderr
