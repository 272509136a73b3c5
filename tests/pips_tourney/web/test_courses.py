"""How matches went: each is found by a process of its own."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from starlette.requests import Request

from pips_tourney.web.door import VISITOR
from pips_tourney.web.match.courses import FOR_OTHERS, MOST_OF_ONE, MOST_WAITING, Courses, NoCourse, WhoAsks
from pips_tourney.web.server import Showing, Site, asker_of
from tests.patience import PATIENCE_S


async def test_a_process_of_its_own_says_why_there_is_none(night: Path) -> None:
    with pytest.raises(NoCourse, match="there is no match nothing"):
        await Courses(night).json("match", "nothing")


async def test_no_match_holds_up_the_others_for_ever(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.web.match.courses.LONGEST_S", {"match": 0.01})
    with pytest.raises(NoCourse, match="was not analysed within"):
        await Courses(night).json("match", "nothing")


async def test_who_asks_for_very_many_is_told_to_wait(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    courses, go_on = Courses(night), asyncio.Event()

    async def found(_: Courses, what: str, match_id: str) -> dict[str, Any]:
        await go_on.wait()
        return {"match": match_id}

    monkeypatch.setattr(Courses, "_find", found)
    asked = [
        asyncio.create_task(courses.json("match", str(number), asker=WhoAsks(str(number))))
        for number in range(MOST_WAITING)
    ]
    await asyncio.sleep(0)
    with pytest.raises(NoCourse, match="try again"):
        await courses.json("match", "one more")
    go_on.set()
    assert len(await asyncio.gather(*asked)) == MOST_WAITING
    assert await courses.json("match", "one more") == {"match": "one more"}


async def test_nobody_takes_the_places_of_others(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bo, cy = (WhoAsks(name, is_person=True) for name in ("1", "2", "3"))
    courses, go_on, found = Courses(night), asyncio.Event(), list[str]()

    async def find(_: Courses, what: str, match_id: str) -> dict[str, Any]:
        await go_on.wait()
        found.append(match_id)
        if match_id == "0":
            raise NoCourse("it went wrong")
        return {"match": match_id}

    monkeypatch.setattr(Courses, "_find", find)
    own = [asyncio.create_task(courses.json("match", str(number), asker=ada)) for number in range(MOST_OF_ONE)]
    await asyncio.sleep(0)
    with pytest.raises(NoCourse, match="3 analyses that you asked for are not there yet: wait"):
        await courses.json("match", "another", asker=ada)
    same = [asyncio.create_task(courses.json("match", "1", asker=asker)) for asker in (ada, bo, cy)]
    other = asyncio.create_task(courses.json("match", "another", asker=bo))
    await asyncio.sleep(0)
    own[1].cancel()  # who goes away takes nothing from those who wait for the same
    go_on.set()
    assert await asyncio.gather(*same) == [{"match": "1"}] * 3 and await other == {"match": "another"}
    with pytest.raises(NoCourse, match="it went wrong"):
        await own[0]
    assert sorted(found) == ["0", "1", "2", "another"]
    assert await courses.json("match", "a later one", asker=ada) == {"match": "a later one"}


async def test_many_behind_one_address_leave_the_last_places_to_others(
    night: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    courses, go_on = Courses(night), asyncio.Event()

    async def find(_: Courses, what: str, match_id: str) -> str:
        await go_on.wait()
        return match_id

    def ask(match_id: str, asker: WhoAsks) -> asyncio.Task[Any]:
        return asyncio.create_task(courses.json("match", match_id, asker=asker))

    monkeypatch.setattr(Courses, "_find", find)
    school, person = WhoAsks("192.0.2.1"), WhoAsks("192.0.2.1", is_person=True)
    asked = [ask(str(number), school) for number in range(MOST_WAITING - FOR_OTHERS)]
    await asyncio.sleep(0)
    assert len(courses._begun) == len(asked) > MOST_OF_ONE
    with pytest.raises(NoCourse, match="6 analyses asked for from your address are not there yet: wait"):
        await courses.json("match", "one more", asker=school)
    asked += [ask("another", WhoAsks("192.0.2.2")), ask("and one", person)]
    await asyncio.sleep(0)
    with pytest.raises(NoCourse, match="try again in a minute"):
        await courses.json("match", "one more", asker=WhoAsks("192.0.2.3"))
    go_on.set()
    assert len({*await asyncio.gather(*asked)}) == MOST_WAITING


def test_who_asks_is_a_person_only_where_the_pages_around_say_so() -> None:
    scope = {"type": "http", "client": ("192.0.2.1", 4711), "headers": []}
    assert asker_of(Request(scope)) == WhoAsks("192.0.2.1")
    assert asker_of(Request({**scope, VISITOR: "7"})) == WhoAsks("7", is_person=True)
    assert asker_of(Request({**scope, "client": None})) == WhoAsks()


async def test_what_is_known_waits_for_nobody(night: Path) -> None:
    courses = Courses(night)
    courses._found["match", "known", 0] = {"match": "known"}
    courses._begun = {
        ("match", str(number), 0): asyncio.create_task(asyncio.sleep(0)) for number in range(MOST_WAITING)
    }
    async with asyncio.timeout(5), courses._turn:
        assert await courses.json("match", "known") == {"match": "known"}


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - a process, or a task, says nothing
            await asyncio.sleep(0.01)


@pytest.fixture
def sleeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Analyses sleep; the file has the number of the process that does."""
    file = tmp_path / "number"
    (tmp_path / "sleeper.py").write_text(
        f"import os, time\nopen({str(file)!r}, 'a').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("pips_tourney.web.match.courses.PROCESS", "sleeper")
    return file


async def test_no_analysis_goes_on_after_its_site(night: Path, sleeper: Path) -> None:
    site = Site(Showing(night, play=False))
    courses = site._courses
    assert courses is not None
    async with site.working():
        asked = [asyncio.create_task(courses.json(what, "")) for what in ("luck", "match")]
        gone = asyncio.create_task(courses.json("bot", ""))
        await _until(lambda: sleeper.exists() and bool(sleeper.read_text()))
        gone.cancel()
        number = int(sleeper.read_text())  # noqa: ASYNC240 - a small file
    assert not psutil.pid_exists(number) and not courses._begun
    for told in await asyncio.gather(*asked, return_exceptions=True):
        assert isinstance(told, NoCourse) and "open its page again" in str(told)
    assert gone.cancelled()
    with pytest.raises(NoCourse, match="open its page again"):
        await courses.json("luck", "")


async def test_an_analysis_that_nobody_waits_for_fails_quietly(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    courses, go_on, said = Courses(night), asyncio.Event(), list[dict[str, Any]]()

    async def find(_: Courses, what: str, of: str) -> None:
        await go_on.wait()
        raise NoCourse("it went wrong")

    monkeypatch.setattr(Courses, "_find", find)
    asyncio.get_running_loop().set_exception_handler(lambda _, about: said.append(about))
    asked = asyncio.create_task(courses.json("luck", ""))
    await asyncio.sleep(0)
    asked.cancel()
    with suppress(asyncio.CancelledError):
        await asked
    del asked
    go_on.set()
    await _until(lambda: not courses._begun)
    gc.collect()
    await asyncio.sleep(0)
    assert said == []
