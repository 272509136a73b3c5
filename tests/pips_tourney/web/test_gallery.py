"""Every page of a night at 1920, 1280 and 390 pixels, light and dark (gallery.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, Route

from pips_referee.records.record import read_record
from pips_tourney.cli.tourney import main as tourney
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.people.sheet import sheet
from pips_tourney.web.match.courses import Courses
from pips_tourney.web.match.frames import replay_frames
from pips_tourney.web.public import Public
from pips_tourney.web.report import report
from pips_tourney.web.server import Showing
from tests.needs import needs
from tests.pips_tourney.night.table.test_season import Weeks
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.gallery import in_all_shapes
from tests.pips_tourney.web.nights import SECRET, circle_night, final_night, long_night, play_round, small_night
from tests.pips_tourney.web.test_course_page import found_at_once, serpent_night
from tests.pips_tourney.web.test_crowded import LOBBY, THIRTY

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]
LONG: Final = "Maximilian Alexander Hohenstein-Schröder"
GO_TO_LOBBY: Final = "import('./static/state.js').then(({ go }) => go('lobby'))"
FORM: Final = 'schedule = { name = "swiss", rounds = 2 }\nfinal = { name = "knockout", bots = 4, deals = 2 }'
GAMES: Final = ("serpent", "wichita", "pippip", "dominion")


class Scene(NamedTuple):
    """A page: in which night, at which address, and what is done before it is seen."""

    name: str
    night: str
    at: str = ""
    act: Callable[[Page], object] = lambda _: None


def _sit_down(game: str, seats: int) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.get_by_role("radio", name=re.compile(rf"^{game.replace('pippip', 'Pip-Pip')}", re.IGNORECASE)).check()
        page.locator(".fields label", has_text=re.compile("^Seats")).locator("select").select_option(str(seats))
        page.get_by_label("Against").first.select_option("random")
        page.get_by_label("Deal").fill("gallery")
        page.get_by_role("button", name="Sit down").click()
        page.locator(".ask[data-number]").wait_for()

    return act


def _to_the_middle(page: Page) -> None:
    page.keyboard.press("f")
    page.locator(".now").wait_for()


def _wait_for(wanted: str) -> Callable[[Page], None]:
    return lambda page: page.locator(wanted).first.wait_for()


def _analyse(button: str, then: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.get_by_role("button", name=button).first.click()
        page.locator(then).first.wait_for()

    return act


SCENES: Final = (
    *(Scene(f"standings-{part}", "small", f"#/standings/{part}") for part in ("overall", "wichita")),
    Scene("cross", "small", "#/cross/serpent"),
    Scene("bot", "small", "#/bots/ada"),
    Scene("pair", "small", "#/pair/ada/cy/pippip", _wait_for(".deals tbody tr")),
    Scene("matches", "small", "#/matches", _wait_for("tbody tr")),
    *(Scene(f"replay-{game}", "small", f"#/match/{game}") for game in GAMES),
    Scene("replay-seen-by-one", "small", "#/match/wichita?seat=1"),
    Scene("replay-fault", "small", "#/match/fault", _to_the_middle),
    Scene("replay-course", "short", "#/match/serpent", _analyse("Analyse this match", "svg.course")),
    Scene("bot-losses", "short", "#/bots/ada", _analyse("Where does it lose?", ".lesson table")),
    Scene("standings-luck", "short", "#/standings/serpent", _analyse("What was luck?", ".lesson table")),
    Scene("play", "small", "#/play"),
    *(Scene(f"play-{game}", "small", "#/play?wait=0", _sit_down(game, 2)) for game in ("serpent", "dominion")),
    *(Scene(f"play-{game}-4", "small", "#/play?wait=0", _sit_down(game, 4)) for game in ("wichita", "pippip")),
    Scene("unknown", "small", "#/nosuchpage"),
    Scene("tables", "running", "#/tables", _wait_for(".live .board")),
    Scene("screen-playing", "running", "#/screen", _wait_for(".now-playing .board")),
    Scene("lobby", "running", "#/standings", lambda page: (page.evaluate(LOBBY), page.evaluate(GO_TO_LOBBY))),
    Scene("rounds", "final", "#/standings/serpent"),
    Scene("bracket", "final", "#/standings/serpent, final"),
    Scene("screen-podium", "final", "#/screen"),
    Scene("long-name-bot", "final", f"#/bots/{LONG}"),
    Scene("long-name-cross", "final", "#/cross/serpent"),
    Scene("long-name-pair", "final", f"#/pair/{LONG}/bo/serpent"),
    Scene("long-name-matches", "final", "#/matches", _wait_for("tbody tr")),
    Scene("long-name-replay", "final", "#/match/serpent"),
    Scene("circles", "circle", "#/standings/serpent", _wait_for(".circles")),
    Scene("season", "season", "#/season", _wait_for(".season tbody tr")),
    *(Scene(f"thirty-{view}", "crowd", f"#/{view}") for view in ("standings", "cross", "screen")),
    *(Scene(name, name) for name in ("report", "public", "feedback", "invites")),
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """By night, the address at which it is looked at.

    It is asked for before the browser, beside which no night can be played.
    """

    def folder(name: str) -> Path:
        return tmp_path_factory.mktemp(name)

    nights = {
        "small": small_night(folder("small")),
        "short": serpent_night(folder("short")),
        "running": small_night(folder("running"), played=30),
        "final": _ended(final_night(folder("final"), FORM, first=LONG)),
        "circle": circle_night(folder("circle")),
        "season": _season(folder("season")),
        "crowd": long_night(folder("crowd"), 870, names=THIRTY),
    }
    written = folder("written")
    (written / "report.html").write_text(report(nights["small"], []), encoding="utf-8")
    (written / "public.html").write_text(report(nights["final"], [], Public()), encoding="utf-8")
    line = "PIPS_TOKEN=K7QF-2M9T-XA4C-0PWE-81HV-6RJD pips-bot join 192.168.1.5:7700 my_bot.py"
    (written / "invites.html").write_text(sheet("Thursday", {"ada": line, LONG: line}), encoding="utf-8")
    told = CliRunner().invoke(tourney, ["report", str(nights["small"]), "-o", str(written / "all")])
    assert told.exit_code == 0, told.output
    files = {"feedback": written / "all" / "feedback" / "ada.html"} | {
        name: written / f"{name}.html" for name in ("report", "public", "invites")
    }
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(Courses, "_find", found_at_once)
        yield {name: stack.enter_context(served(Showing(night))) for name, night in nights.items()} | {
            name: file.as_uri() for name, file in files.items()
        }


def _ended(path: Path) -> Path:
    with open_store(path) as store:
        while play_round(store):
            pass
        store.append(ENDED, {"secret": SECRET.key.hex(), "digest": "", "standings_sha256": ""})
    return path


def _season(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        weeks = Weeks(folder, patch)
        for bots in (("ada", "bo", "cy"), ("ada", "bo", "cy"), ("ada", "bo", "cy", LONG)):
            weeks.league(*bots, deals=6, changed="ada" if weeks.database.exists() else "")
            weeks.play()
        return weeks.database


def _boards(path: Path) -> str:
    """A board of each game in the middle of a match, as the pages are told of them."""
    boards: dict[str, dict[str, Any]] = {}
    with read_store(path) as store:
        ids = [row.id for _, row in store.since(0) if row.faults == "[]"]
        for row in store.rows(ids).values():
            frames, table = replay_frames(read_record(row.record)), dict[str, Any]()
            for frame in frames[: len(frames) // 2]:
                table |= frame["set"]
            say = frames[len(frames) // 2 - 1]["say"]
            boards[row.game] = {"id": row.id, "contest": row.game, "game": row.game, "names": row.bots, "say": say} | {
                "table": table
            }
    under_way = [{"id": one["id"], "contest": one["contest"], "bots": one["names"], "s": 3} for one in boards.values()]
    return json.dumps({"list": under_way, "boards": [*boards.values()], "open": False})


def _match(page: Page, base: str, game: str) -> str:
    """The first match of that game without a fault, or the first with one."""
    rows = page.request.get(f"{base}api/matches").json()
    return next(str(row[1]) for row in rows if (bool(row[6]) if game == "fault" else row[2] == game and not row[6]))


def _open(screen: Screen, scene: Scene, base: str, boards: str) -> None:
    def tell(route: Route) -> None:
        route.fulfill(content_type="text/event-stream", body=f"event: tables\r\ndata: {boards}\r\n\r\n")

    page = screen.page
    if scene.night == "running":
        page.route("**/tables", tell)
    found = re.search(r"^#/match/(\w+)", scene.at)
    at = scene.at.replace(found[1], _match(page, base, found[1]), 1) if found else scene.at
    if found and "?" not in at:
        at += "/20"
    screen.open(at)
    scene.act(page)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_page_in_all_shapes(
    stage: dict[str, str], browser: Browser, tmp_path_factory: pytest.TempPathFactory, scene: Scene
) -> None:
    base = stage[scene.night]
    boards = _boards(small_night(tmp_path_factory.mktemp("boards"))) if scene.night == "running" else ""
    in_all_shapes(browser, base, scene.name, lambda screen: _open(screen, scene, base, boards))
