"""The desk: what was checked enters the night, and what was not says why."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pips_tourney.bots.archives import HandInError
from pips_tourney.night.director import office
from pips_tourney.night.log.store import Entry, read_store
from pips_tourney.people.store import Invited, People, Person
from pips_tourney.place.child import check
from pips_tourney.place.desk import desk as desk_module
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.changes import ask_scrimmage
from pips_tourney.place.desk.deletion import delete_person, withdraw_own
from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import DELETED, FINAL, READY, REFUSED, WITHDRAWN, BotVersion, HandIns, in_turn
from pips_tourney.place.desk.health import GB, DiskBound
from pips_tourney.place.desk.uploads import keep_files
from pips_tourney.place.pages.shown import (
    about_bot,
    feedback_zip,
    match_list,
    plays_from,
    rated_versions,
    records_of,
    records_zip,
    tables,
)
from pips_tourney.place.serve import PlaceError, _check_house, _names
from pips_tourney.web.archive import Archive
from tests.patience import PATIENCE_S
from tests.pips_tourney.web.nights import long_night, small_night

GOOD = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n"


@dataclass
class ToldDesk(Desk):
    """A desk whose checks find what they are told to find."""

    found: list[tuple[int | None, str, str]] = field(default_factory=list)

    async def _run(self, words: Sequence[str], seconds: float, hear: Callable[[bytes], None]) -> tuple[int | None, str]:
        code, out, err = self.found.pop(0)
        for line in out.splitlines():
            hear(line.encode())
        return code, err


def _bring(desk: Desk) -> bool:
    return desk.carry_over.bring(desk.frozen_at)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ToldDesk]:
    (tmp_path / "versions").mkdir()
    people = People(tmp_path)
    yield ToldDesk(
        tmp_path / "class.toml", tmp_path / "class.db", HandIns(people, tmp_path / "versions"), Calendar(people)
    )
    people.close()


def hand_in(desk: Desk, person: Person) -> None:
    desk.hand_ins.add(person, keep_files([("bot.py", GOOD.encode())], desk.hand_ins.folder, person.bot))


def fine(ok: bool = True) -> tuple[int, str, str]:
    return 0, f"a line before\n{json.dumps({'ok': ok, 'said': 'what was found', 'mark': 'x'})}\n", ""


@pytest.mark.parametrize(
    ("found", "state", "said"),
    [
        (fine(), READY, "what was found"),
        (fine(ok=False), REFUSED, "what was found"),
        ((2, "", "no memory is left"), REFUSED, "failed on this machine"),
        ((0, "no JSON", ""), REFUSED, "failed on this machine"),
        ((0, "", ""), REFUSED, "failed on this machine"),
        ((None, "", ""), REFUSED, "failed on this machine"),
    ],
)
async def test_what_a_check_finds_is_kept(
    desk: ToldDesk, found: tuple[int | None, str, str], state: str, said: str
) -> None:
    ((ada, _),) = desk.people.invite([Invited("Ada", "ada")])
    hand_in(desk, ada)
    desk.found = [found]
    await desk._check(desk.hand_ins.all()[0])
    (version,) = desk.hand_ins.all()
    assert version.state == state and said in version.said
    assert bool(desk.told) is ("organiser" in version.said)
    assert desk.people.settings("mark_") == ({} if desk.told else {"1": "x"})
    assert "no memory" not in version.said


async def test_a_check_that_takes_too_long_tells_both_the_same(desk: ToldDesk) -> None:
    ((ada, _),) = desk.people.invite([Invited("Ada", "ada")])
    hand_in(desk, ada)
    desk.found = [(None, '{"progress": "Match 1 of wichita is played."}', "")]
    await desk._check(desk.hand_ins.all()[0])
    (version,) = desk.hand_ins.all()
    assert version.said == "Its matches took longer than 120 s in all: let it answer faster."
    assert version.state == REFUSED and [*desk.told] == [f"ada is refused: i{version.said[1:]}"]


async def test_two_are_checked_at_once_and_none_is_left_when_the_desk_closes(desk: ToldDesk) -> None:
    for person, _ in desk.people.invite([Invited(name, name) for name in ("eve", "fay", "gus")]):
        hand_in(desk, person)
    ends = {version.id: asyncio.Event() for version in desk.hand_ins.all()}
    begun: list[int] = []

    async def check(version: BotVersion) -> None:
        begun.append(version.id)
        try:
            await ends[version.id].wait()
            desk.hand_ins.set_state(version.id, READY)
        finally:
            ends[version.id].set()

    async def until(count: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while len(begun) < count:  # noqa: ASYNC110 - another task does it
                await asyncio.sleep(0)

    desk._check = check  # type: ignore[method-assign]
    working = asyncio.create_task(desk._keep_checking())
    await until(2)
    await asyncio.sleep(0.05)
    assert begun == [1, 2], "the third waits"
    ends[2].set()
    await until(3)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    assert begun == [1, 2, 3] and all(end.is_set() for end in ends.values())


async def test_scrimmages_and_changes_are_played_in_turn_when_no_check_waits(
    desk: ToldDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "AGAIN_S", 0.01)
    ((ada, _),) = desk.people.invite([Invited("Ada", "ada")])
    for _ in range(2):
        hand_in(desk, ada)
    (tmp_path / "class.1.db").touch()
    desk.found = [(2, "", "no sandbox"), (2, "", "no memory is left")]
    comparing = asyncio.create_task(desk._keep_playing_beside())
    await asyncio.sleep(0.05)
    assert len(desk.found) == 2, "both wait for their check"
    comparing.cancel()
    for version in desk.hand_ins.all():
        desk.hand_ins.set_state(version.id, READY)
    ask_scrimmage(desk.hand_ins, ada, {"name": "sample greedy", "sample": "greedy"})
    comparing = asyncio.create_task(desk._keep_playing_beside())
    async with asyncio.timeout(PATIENCE_S):
        while len(desk.told) < 2:  # noqa: ASYNC110 - another task does it
            await asyncio.sleep(0)
    comparing.cancel()
    assert [*desk.told] == [
        "ada v2 had no scrimmage: no sandbox",
        "What ada v2 changes is not known: no memory is left",
    ]


async def test_checks_that_never_end_do_not_keep_a_scrimmage_waiting(
    desk: ToldDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author of a slow bot may hand in again and again."""
    monkeypatch.setattr(desk_module, "AGAIN_S", 0.01)
    monkeypatch.setattr(desk_module, "GIVES_WAY_S", 0.2)
    (ada, _), (eve, _) = desk.people.invite([Invited("Ada", "ada"), Invited("Eve", "eve")])
    hand_in(desk, ada)
    desk.hand_ins.set_state(1, READY)
    ask_scrimmage(desk.hand_ins, ada, {"name": "sample greedy", "sample": "greedy"})
    hand_in(desk, eve)
    desk.found = [(2, "", "no sandbox")]
    playing = asyncio.create_task(desk._keep_playing_beside())
    await asyncio.sleep(0.1)
    assert desk.found, "it gives way at first"
    async with asyncio.timeout(PATIENCE_S):
        while not desk.told:  # noqa: ASYNC110 - another task tells it
            await asyncio.sleep(0)
    playing.cancel()
    assert desk.queue() == 1


async def test_a_night_that_takes_no_version_says_so_once(desk: ToldDesk) -> None:
    for _ in range(2):
        desk.database.write_text("no database")
        for _ in range(3):
            assert not await desk.carry_over.bring_over(desk.frozen_at)
        desk.database.unlink()
        await desk.carry_over.bring_over(desk.frozen_at)
    assert len(desk.told) == 2 and "not a database" in desk.told[0]


@pytest.mark.parametrize("is_wal", [False, True])
def test_a_database_that_a_kill_left_without_tables_is_no_night_yet(desk: ToldDesk, *, is_wal: bool) -> None:
    desk.database.touch()
    if is_wal:
        with closing(sqlite3.connect(desk.database)) as made:
            made.execute("PRAGMA journal_mode = WAL")
    assert desk.carry_over.names() == set() and _names(desk) == set()


@pytest.mark.parametrize("left", [False, True])
async def test_files_that_are_gone_hold_nobody_up(desk: ToldDesk, tmp_path: Path, left: bool) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    people = [person for person, _ in desk.people.invite([Invited(name, name) for name in ("eve", "fay")])]
    for person in people:
        hand_in(desk, person)
    eve, fay = desk.hand_ins.all()
    lost = desk.hand_ins.folder / eve.folder
    lost.rename(tmp_path / "lost")
    if left:
        lost.mkdir()
    await desk._check(eve)
    assert desk.hand_ins.all()[0].said == "Its files are gone from this place. Hand it in again."
    for version in (eve, fay):
        desk.hand_ins.set_state(version.id, READY)  # as if they were lost after the check
    for _ in range(3):
        assert _bring(desk)
    assert "eve" not in desk.carry_over.names() and "fay" in desk.carry_over.names()
    hand_in(desk, people[1])
    desk.hand_ins.set_state(3, READY)
    shutil.rmtree(desk.hand_ins.folder / fay.folder)
    assert _bring(desk) and {"fay", "fay v2"} <= desk.carry_over.names()
    assert [line for line in desk.told if "gone:" in line] == [
        "The files of eve are gone: put them back, and they play"
    ]
    with pytest.raises(HandInError, match="the files of eve are gone"):
        desk.hand_ins.files(eve)
    if left:
        lost.rmdir()
    (tmp_path / "lost").rename(lost)
    assert _bring(desk) and {"eve", "fay"} <= desk.carry_over.names()


async def test_a_version_that_the_night_refuses_holds_nobody_up(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    for person, _ in desk.people.invite([Invited(name, name) for name in ("eve", "fay")]):
        hand_in(desk, person)
    eve, fay = desk.hand_ins.all()
    for version in (eve, fay):
        desk.hand_ins.set_state(version.id, READY)
    (desk.hand_ins.files(eve) / "bot.py").unlink()
    assert _bring(desk) and _bring(desk)
    assert "eve" not in desk.carry_over.names() and "fay" in desk.carry_over.names()
    assert desk.hand_ins.all()[0].state == REFUSED and len(desk.told) == 1
    assert "does not take it" in desk.hand_ins.all()[0].said


async def test_a_second_version_takes_the_place_of_the_first(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    ((eve, _),) = desk.people.invite([Invited("Eve", "eve")])
    for number in (1, 2, 3):
        hand_in(desk, eve)
        desk.found = [fine(ok=number < 3)]
        await desk._check(desk.hand_ins.all()[-1])
        await desk.carry_over.bring_over(desk.frozen_at)
        await desk.carry_over.bring_over(desk.frozen_at)
    with office(desk.database) as at:
        assert set(at.decisions.added) == {"eve", "eve v2"}
        assert set(at.decisions.out) == {"eve"}
    assert not desk.told


class Slow:
    """A child that takes its time to end when its input does."""

    def __init__(self) -> None:
        self.stdin = self
        self.stdout = asyncio.StreamReader()
        self.ended = asyncio.Event()

    def close(self) -> None:
        asyncio.get_running_loop().call_later(0.05, self._end)

    def _end(self) -> None:
        self.ended.set()
        self.stdout.feed_eof()

    async def wait(self) -> int:
        await self.ended.wait()
        return 130


async def test_no_process_is_left_when_a_desk_has_ended(desk: ToldDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[Slow] = []

    async def start(words: Sequence[str], err: int) -> Slow:
        children.append(Slow())
        return children[-1]

    monkeypatch.setattr(desk_module, "start", start)
    working = asyncio.create_task(desk.work())
    async with asyncio.timeout(PATIENCE_S):
        while not children:  # noqa: ASYNC110 - the desk says nothing
            await asyncio.sleep(0.01)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert all(child.ended.is_set() for child in children)


def test_what_pages_show_of_a_night(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = small_night(tmp_path)
    with read_store(desk.database) as store:
        archive = Archive(store)

        async def ask(question: Callable[[Archive], object]) -> object:
            return question(archive)

        assert {row["bot"] for table in tables(archive) for row in table["rows"]} == {"ada", "bo", "cy"}
        own = match_list(archive, ["ada"], most=999)
        assert own[0].line == "dominion, won: ada (4) – cy (0)" and own[0].open
        assert all(match.lost is not None for match in match_list(archive, ["ada"], lost=True, most=5))
        assert about_bot(archive, ["ada", "unknown"]) and not about_bot(archive, ["unknown"])
        assert plays_from(archive, "ada") == "from the first deal" and not plays_from(archive, "x")
        assert {row.night for row in rated_versions(archive, desk.database, ["ada"])} == {1}
        for bots in (["ada", "bo"], ["bo", "ada"]):
            assert rated_versions(archive, desk.database, bots)[-1].bot == bots[-1], "the newest version is the last"
        assert records_of(archive, ["ada"], [own[0].id]) and not records_of(archive, ["nobody"], [own[0].id])
        with zipfile.ZipFile(io.BytesIO(asyncio.run(records_zip(ask, ["ada"])))) as whole:
            assert len(whole.namelist()) == len(own)
    with zipfile.ZipFile(io.BytesIO(feedback_zip(desk.database, {"ada": ["ada_lovelace_"]}))) as whole:
        assert {"ada_lovelace_ada.html", "ada_lovelace_ada.txt", "bo.html"} <= set(whole.namelist())


def test_what_is_handed_in_after_the_freeze_plays_in_the_next_night(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    people = [person for person, _ in desk.people.invite([Invited("Eve", "eve"), Invited("Fay", "fay")])]
    hand_in(desk, people[0])
    desk.end_night()
    hand_in(desk, people[1])
    hand_in(desk, people[0])
    assert [each.bot for each in in_turn(desk.hand_ins.all(), desk.frozen_at)] == ["eve", "fay", "eve v2"]
    for version in desk.hand_ins.all():
        desk.hand_ins.set_state(version.id, READY)
    assert _bring(desk) and _bring(desk)
    with office(desk.database) as at:
        assert set(at.decisions.added) == {"eve"} and not at.decisions.out
    desk.end_night()
    assert desk.frozen_at == 1 and desk._how() == "open"
    desk._settled = True
    assert desk._how() == "last"


def test_the_version_that_its_author_chose_plays_in_the_last_night(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    eve, fay = [person for person, _ in desk.people.invite([Invited("Eve", "eve"), Invited("Fay", "fay")])]
    for person in (eve, eve, fay, eve):
        hand_in(desk, person)
    for version in desk.hand_ins.all():
        desk.hand_ins.set_state(version.id, READY if version.id < 4 else REFUSED)
    assert not desk.hand_ins.choose(eve, 3) and not desk.hand_ins.choose(eve, 4), "another's, and a refused one"
    assert desk.hand_ins.choose(eve, 2) and desk.hand_ins.choose(eve, 1) and desk.hand_ins.chosen() == {eve.owner: 1}
    desk.people.set_setting(FINAL, "0")
    assert _bring(desk)
    assert {"eve", "fay"} <= desk.carry_over.names() and "eve v2" not in desk.carry_over.names()
    assert desk.hand_ins.choose(eve, 1, newest=True) and not desk.hand_ins.chosen()
    desk.people.set_setting(FINAL, "")
    assert _bring(desk)
    with office(desk.database) as at:
        assert "eve v2" in at.bots() and set(at.decisions.out) == {"eve"}, "any other night has the newest"


def test_an_author_takes_a_bot_out_and_hands_it_in_again(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    ((eve, _),) = desk.people.invite([Invited("Eve", "eve")])
    hand_in(desk, eve)
    desk.hand_ins.set_state(1, READY)
    assert _bring(desk)
    for _ in range(2):
        hand_in(desk, eve)
    desk.hand_ins.set_state(3, REFUSED)
    withdraw_own(desk, eve)
    desk.hand_ins.set_state(2, READY)  # its check ends later
    desk.hand_ins.set_state(3, READY)  # the organiser has a refused one checked again
    assert [version.state for version in desk.hand_ins.all()] == [WITHDRAWN] * 3
    assert _bring(desk) and in_turn(desk.hand_ins.all()) == []
    with office(desk.database) as at:
        assert set(at.decisions.out) == {"eve"} and "eve v2" not in at.bots()
    assert desk.hand_ins.again(eve, 1)
    desk.hand_ins.set_state(4, READY)
    assert _bring(desk) and "eve v4" in desk.carry_over.names()
    delete_person(desk, eve, only_shown=False)
    assert {version.state for version in desk.hand_ins.all()} == {DELETED}


@pytest.mark.parametrize("state", [WITHDRAWN, DELETED])
def test_what_is_taken_out_while_the_desk_brings_it_is_out_in_the_end(
    desk: ToldDesk, tmp_path: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    ((eve, _),) = desk.people.invite([Invited("Eve", "eve")])
    hand_in(desk, eve)
    desk.hand_ins.set_state(1, READY)
    enter = desk.carry_over._enter

    def meanwhile(*of: Any) -> None:
        desk.hand_ins.set_state(1, state)
        enter(*of)

    monkeypatch.setattr(desk.carry_over, "_enter", meanwhile)
    assert _bring(desk) and _bring(desk)
    with office(desk.database) as at:
        assert set(at.decisions.out) == {"eve"}


async def test_a_place_has_a_bound_and_warns_before_it_is_reached(
    desk: ToldDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "DISK_S", 0)
    ((eve, _),) = desk.people.invite([Invited("Eve", "eve")])
    (tmp_path / "class.1.db").write_bytes(bytes(1000))
    (tmp_path / "versions" / "x").write_bytes(bytes(2000))
    assert str(desk.disk) == "its size is being counted"
    desk.disk.look({})
    assert 3000 <= desk.disk.used < GB and desk.disk.part < 0.1 and "of 10 GB" in str(desk.disk)
    desk.disk.gb = desk.disk.used / 0.85 / GB
    counting = asyncio.create_task(desk._keep_room())
    async with asyncio.timeout(PATIENCE_S):
        while not desk.told:  # noqa: ASYNC110 - another task tells it
            await asyncio.sleep(0)
    hand_in(desk, eve)
    desk.disk.gb /= 2
    desk.disk.look({})
    with pytest.raises(HandInError, match="used up its disk"):
        desk.hand_ins.keep(eve, [("bot.py", GOOD.encode())])
    counting.cancel()
    assert len(desk.told) == 1 and "The disk is nearly full" in desk.told[0]
    desk.disk.gb, desk.disk.free = 10.0, GB // 4
    assert desk.disk.part >= 1, "others fill the disk, too"
    (tmp_path / "class2.db").write_bytes(bytes(500))
    (tmp_path / "empty").mkdir()
    of_league = DiskBound(tmp_path / "class.db", tmp_path / "empty" / "versions", 10.0)
    of_league.versions.mkdir()
    of_league.look({})
    assert of_league.used == 512 * (tmp_path / "class.1.db").stat().st_blocks, "class2.db is another league's"


def test_a_version_never_hides_behind_another_bot_of_its_name(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    (person,) = [person for person, _ in desk.people.invite([Invited("Eve", "eve")])]
    assert not {"eve", "eve v2"} & desk.carry_over.names()
    hand_in(desk, person)
    desk.hand_ins.set_state(1, READY)
    with office(desk.database) as at:
        at.add({"sample": "random", "name": "eve"}, tmp_path)
    assert _bring(desk) and "eve" in desk.carry_over.names()
    (version,) = desk.hand_ins.all()
    assert version.state == REFUSED and "Hand it in again" in version.said and "another bot" in desk.told[-1]
    hand_in(desk, person)
    desk.hand_ins.set_state(2, READY)
    assert _bring(desk) and _bring(desk)
    with office(desk.database) as at:
        assert set(at.decisions.added) == {"eve", "eve v2"} and not at.decisions.out
    assert desk.hand_ins.all()[-1].state == READY


def test_a_bot_that_the_league_gets_later_has_a_name_of_its_own(desk: ToldDesk, tmp_path: Path) -> None:
    (person,) = [person for person, _ in desk.people.invite([Invited("Eve", "eve")])]
    for handed_in in (False, True):
        if handed_in:
            hand_in(desk, person)
        with pytest.raises(PlaceError, match=r"class.toml has a bot called eve, .* another name"):
            _check_house(tmp_path / "class.toml", frozenset({"random", "eve"}), desk.people)
    _check_house(tmp_path / "class.toml", frozenset({"random", "greedy"}), desk.people)


def test_a_closed_place_plays_one_last_night(desk: ToldDesk, tmp_path: Path) -> None:
    desk.database = desk.carry_over.database = small_night(tmp_path)
    assert desk._how() == "new" and desk.frozen_at is None
    desk.calendar.set_deadline("2020-01-01 10:00", at_once=True)
    assert desk._how() == "new" and desk.frozen_at == 0  # it is to be played to its end
    assert desk._how() == "new"  # a kill before it began changes nothing
    desk.database.with_name("small.1.db").write_bytes(desk.database.read_bytes())
    assert desk._how() is None and desk.frozen_at is None
    desk.calendar.set_deadline("")
    assert desk._how() == "new" and desk.frozen_at is None


def test_the_lines_of_a_night(desk: ToldDesk) -> None:
    heard: list[bytes] = []
    desk.nights.hear = heard.append  # type: ignore[assignment, method-assign]
    for line in (b'{"tables":[]}\n', b'{"told":"hello"}\n', b'{"begun":3}\n', b"Traceback\n", b"[1]\n"):
        desk._hear(line)
    assert heard == [b'{"tables":[]}\n'] and list(desk.told) == ["hello", "Traceback", "[1]"]


def test_the_check_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class.toml").write_text(
        'games = ["serpent"]\nbots = [{ name = "a", sample = "random" }, { name = "b", sample = "random" }]\n'
    )
    (tmp_path / "empty").mkdir()
    assert check(tmp_path / "empty", tmp_path / "class.toml") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False and str(tmp_path) not in said["said"] and "which file is the bot" in said["said"]


def test_a_place_whose_night_cannot_be_read_names_the_file(desk: ToldDesk) -> None:
    assert _names(desk) == set()
    desk.database.write_text("no database")
    with pytest.raises(PlaceError, match=f"{desk.database}: file is not a database.*move it away"):
        _names(desk)


def opened_at(place: Path) -> ToldDesk:
    """The desk of the place in a folder, whose night is there or not."""
    (place / "versions").mkdir(parents=True, exist_ok=True)
    people = People(place)
    return ToldDesk(place / "class.toml", place / "long.db", HandIns(people, place / "versions"), Calendar(people))


def handed_in_twice(place: Path) -> ToldDesk:
    """A place whose night has both versions of a student's bot."""
    desk = opened_at(place)
    long_night(place, 24, played=0)
    ((eve, _),) = desk.people.invite([Invited("Eve", "eve")])
    for number in (1, 2):
        hand_in(desk, eve)
        desk.hand_ins.set_state(number, READY)
        assert _bring(desk)
    return desk


def assert_both_play(desk: ToldDesk) -> None:
    assert _bring(desk)
    assert [version.state for version in desk.hand_ins.all()] == [READY, READY] and not desk.told
    with office(desk.database) as at:
        added, versions = at.decisions.added, desk.hand_ins.all()
        assert {bot: Path(entry["cwd"]) for bot, entry in added.items()} == {
            version.bot: desk.hand_ins.files(version).resolve() for version in versions
        }
        assert set(at.decisions.out) == {"eve"}


@pytest.mark.parametrize("name", ["class", 'of "b" [1] \\n* here'])
def test_a_place_that_was_moved_keeps_the_bots_of_its_students(tmp_path: Path, name: str) -> None:
    desk = handed_in_twice(tmp_path / name)
    assert_both_play(desk)
    desk.people.close()
    for at, to in ((name, "elsewhere"), ("elsewhere", f"{name}es")):  # the last name begins as the first
        (tmp_path / at).rename(tmp_path / to)
        desk = opened_at(tmp_path / to)
        assert_both_play(desk)
        desk.people.close()


def test_a_place_behind_a_link_keeps_the_bots_of_its_students(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    desk = handed_in_twice(tmp_path / "link")
    kept = len(_log(desk))
    (fay,) = [person for person, _ in desk.people.invite([Invited("Fay", "fay")])]
    hand_in(desk, fay)
    desk.hand_ins.set_state(3, READY)
    assert _bring(desk) and [version.state for version in desk.hand_ins.all()] == [READY] * 3 and not desk.told
    assert len(_log(desk)) == kept + 1  # nothing but the new bot
    desk.people.close()


@pytest.mark.parametrize("where", ["{folder}0/eve", "{folder}/eve.py", "{folder}/eve/eve"])
def test_a_bot_whose_path_begins_as_that_of_a_version_is_another(desk: ToldDesk, tmp_path: Path, where: str) -> None:
    desk.database = desk.carry_over.database = long_night(tmp_path, 24, played=0)
    ((eve, _),) = desk.people.invite([Invited("Eve", "eve")])
    hand_in(desk, eve)
    desk.hand_ins.set_state(1, READY)
    (version,) = desk.hand_ins.all()
    other = desk.hand_ins.folder / where.format(folder=version.folder)
    if other.suffix:
        other.write_text(GOOD)
    else:
        other.mkdir(parents=True)
        (other / "bot.py").write_text(GOOD)
    with office(desk.database) as at:
        at.add({"path": str(other), "name": "eve"}, tmp_path)
        entry = at.decisions.added["eve"]
    assert _bring(desk) and desk.hand_ins.all()[0].state == REFUSED and "another bot" in desk.told[-1]
    with office(desk.database) as at:
        assert at.decisions.added["eve"] == entry


def _log(desk: ToldDesk) -> list[Entry]:
    with read_store(desk.database) as store:
        return store.log()
