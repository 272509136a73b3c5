"""A night's log keeps the code of its games, and says when it is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_referee.game import get_game
from pips_tourney.bots.executable import files_below
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.kinds import BEGUN, GAMES
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.proof import game_code
from pips_tourney.night.proof.game_code import AnotherGame, code_changes, note_changes
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x02" * 32)


def test_another_code_of_a_game_is_told_and_logged_if_stored_matches_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programme = make_programme(read_league(write_league(tmp_path, "ada", "bo", deals=1)))
    with open_store(tmp_path / "night.db") as store:
        begin(store, programme, SECRET)
        for fixture in fixtures(programme):
            store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0)))])
        code = store.log(BEGUN)[0].payload["games"]["serpent"]
        assert len(code["sha256"]) == 64
        assert "RULES.md" in [name for name, _ in files_below(get_game("serpent").room)]
        assert (code_changes(store), [*note_changes(store)]) == ({}, [])

        monkeypatch.setattr(game_code, "fingerprint", lambda *_: "f" * 64)
        told = f"({code['sha256'][:12]}), now {code['wheel'] or 'no wheel'} (ffffffffffff)"
        assert [note.endswith(told) for note in verify_night(store).notes if "the code of serpent" in note] == [True]
        monkeypatch.setattr(game_code, "row_problem", lambda row: "another score")
        with pytest.raises(AnotherGame, match=r"the code of serpent has changed: .* is another \(another score\)"):
            [*note_changes(store)]
        assert store.log(GAMES) == []

        monkeypatch.undo()
        monkeypatch.setattr(game_code, "fingerprint", lambda *_: "f" * 64)
        assert [line.endswith("Stored matches replay with it as they were") for line in note_changes(store)] == [True]
        assert [*note_changes(store)] == [] and not verify_night(store).problems
        monkeypatch.setattr(game_code, "REGISTRY", ())
        assert code_changes(store)["serpent"].endswith("now it is not installed")
