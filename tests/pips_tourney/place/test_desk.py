"""The desk: what was checked enters the night, and what was not says why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pips_tourney.night.director import office
from pips_tourney.place.book import READY, REFUSED, Book, Person
from pips_tourney.place.child import check
from pips_tourney.place.desk import Desk
from pips_tourney.place.hand_in import keep_hand_in
from pips_tourney.place.serve import PlaceConfig, PlaceError, _check_fence, _write_invites
from pips_tourney.place.shown import about_bot, decide, grades, is_paused, match_list, tables
from pips_tourney.sandbox.tiers import Tier
from tests.pips_tourney.web.nights import long_night, small_night

GOOD = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n"


@dataclass
class ToldDesk(Desk):
    """A desk whose checks find what they are told to find."""

    found: list[tuple[int | None, str, str]] = field(default_factory=list)

    async def _run(self, words: Sequence[str], seconds: float) -> tuple[int | None, str, str]:
        return self.found.pop(0)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ToldDesk]:
    (tmp_path / "versions").mkdir()
    book = Book(tmp_path / "place.db")
    yield ToldDesk(tmp_path / "class.toml", tmp_path / "class.db", book, tmp_path / "versions")
    book.close()


def hand_in(desk: Desk, person: Person) -> None:
    desk.book.hand_in(person, keep_hand_in([("bot.py", GOOD.encode())], desk.versions, person.bot))


def fine(ok: bool = True) -> tuple[int, str, str]:
    return 0, f"a line before\n{json.dumps({'ok': ok, 'said': 'what was found'})}\n", ""


@pytest.mark.parametrize(
    ("found", "state", "said"),
    [
        (fine(), READY, "what was found"),
        (fine(ok=False), REFUSED, "what was found"),
        ((2, "", "no memory is left"), REFUSED, "failed on this machine"),
        ((0, "no JSON", ""), REFUSED, "failed on this machine"),
        ((0, "", ""), REFUSED, "failed on this machine"),
        ((None, "", ""), REFUSED, "took longer than 120 s"),
    ],
)
async def test_what_a_check_finds_is_kept(
    desk: ToldDesk, found: tuple[int | None, str, str], state: str, said: str
) -> None:
    ((ada, _),) = desk.book.invite([("Ada", "ada")])
    hand_in(desk, ada)
    desk.found = [found]
    await desk._check(desk.book.versions()[0])
    (version,) = desk.book.versions()
    assert version.state == state and said in version.said
    assert bool(desk.told) is ("organiser" in version.said)
    assert "no memory" not in version.said


async def test_a_second_version_takes_the_place_of_the_first(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = long_night(tmp_path, 24, played=0)
    ((eve, _),) = desk.book.invite([("Eve", "eve")])
    for number in (1, 2, 3):
        hand_in(desk, eve)
        desk.found = [fine(ok=number < 3)]
        await desk._check(desk.book.versions()[-1])
        await desk._bring_over()
        await desk._bring_over()
    with office(desk.database) as at:
        assert set(at.decisions.added) == {"eve", "eve v2"}
        assert set(at.decisions.out) == {"eve"}
    assert not desk.told


def test_what_pages_show_of_a_night(desk: ToldDesk, tmp_path: Path) -> None:
    assert (tables(desk.database), match_list(desk.database), about_bot(desk.database, ["ada"])) == ([], [], [])
    assert not is_paused(desk.database)
    desk.database = small_night(tmp_path)
    (shown, *_) = tables(desk.database)
    assert {"ada", "bo"} <= {row["bot"] for row in shown["rows"]}
    assert all(" to " in row["interval"] or row["interval"] == "" for row in shown["rows"])
    assert match_list(desk.database)[0].count("1. ")
    assert about_bot(desk.database, ["ada", "unknown"]) and not about_bot(desk.database, ["unknown"])
    assert "ada" in grades(desk.database)
    assert "Paused" in decide(desk.database, "pause") and is_paused(desk.database)
    assert "Resumed" in decide(desk.database, "resume") and not is_paused(desk.database)
    match = match_list(desk.database)[0].split()[0]
    assert "is annulled" in decide(desk.database, "annul", match, "a power cut")


def test_the_check_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class.toml").write_text('games = ["serpent"]\nbots = [{ name = "random", sample = "random" }]\n')
    (tmp_path / "empty").mkdir()
    assert check(tmp_path / "empty", tmp_path / "class.toml") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False and str(tmp_path) not in said["said"] and "which file is the bot" in said["said"]


def test_a_machine_without_a_fence_is_refused() -> None:
    for tier in (Tier.NONE, Tier.LIMITS):
        with pytest.raises(PlaceError, match="install bubblewrap"):
            _check_fence(tier, unfenced=False)
        _check_fence(tier, unfenced=True)
    _check_fence(Tier.BUBBLEWRAP, unfenced=False)


def test_invites_are_added_to_a_file_of_ones_own(tmp_path: Path) -> None:
    assert PlaceConfig(Path("class.toml"), tmp_path / "class.db").folder == tmp_path / "class-place"
    path, _ = [_write_invites(tmp_path, "http://here/", [(name, "bot", "code")]) for name in ("Ada", "Bo")]
    assert path.read_text().splitlines() == [
        "name,bot,code,link", "Ada,bot,code,http://here/enter#code", "Bo,bot,code,http://here/enter#code",
    ]  # fmt: skip
    assert path.stat().st_mode & 0o777 == 0o600
