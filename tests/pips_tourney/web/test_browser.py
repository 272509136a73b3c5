"""The pages in a browser.

Each of them, every game's replay to its end, a match of every game played by clicking.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page

from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.store import open_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.web.report import report
from pips_tourney.web.server import Showing
from tests.needs import needs
from tests.pips_tourney.web.browser import Screen, served
from tests.pips_tourney.web.nights import SECRET, final_night, play_round

pytestmark = [
    pytest.mark.xdist_group("browser"),
    needs("chromium"),
]
OTHERS: Final = ("serpent", "wichita", "dominion")
GAMES: Final = ("pippip", *OTHERS)
PAGES: Final = (
    "standings/overall", "standings/serpent", "cross/serpent", "bots/ada", "matches", "tables",
    "play",
)  # fmt: skip
NewScreen = Callable[..., Screen]


@pytest.fixture(scope="module")
def base(night: Path) -> Iterator[str]:
    with served(Showing(night)) as base:
        yield base


@pytest.fixture
def new_screen(browser: Browser, base: str) -> Iterator[NewScreen]:
    """Screens that must have no complaints in the end."""
    screens: list[Screen] = []

    def new(at: str = base, **shape: Any) -> Screen:
        screens.append(Screen(browser, at, **shape))
        return screens[-1]

    yield new
    for screen in screens:
        screen.assert_quiet()
        screen.close()


def first_match(screen: Screen, base: str, game: str, *, faults: bool = False) -> str:
    rows = screen.page.request.get(f"{base}api/matches").json()
    return next(str(row[1]) for row in rows if row[2] == game and bool(row[6]) is faults)


def test_every_page_on_a_desk_and_on_a_phone(new_screen: NewScreen) -> None:
    desk, phone = new_screen(), new_screen(width=390, height=800, dark=True)
    for page in PAGES:
        for screen, where in ((desk, "desk"), (phone, "phone")):
            screen.open(f"#/{page}")
            if page == "matches":
                screen.page.locator("tbody tr").first.wait_for()
            screen.assert_accessible()
            screen.keep(f"{page.replace('/', '-')}-{where}", whole=where == "phone")
            assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (page, where)


def test_the_pages_say_what_the_night_was(new_screen: NewScreen) -> None:
    page = new_screen().open("#/standings/overall")
    assert page.locator(".standings tbody tr").count() == 3
    assert page.locator(".far").inner_text().endswith(", over")
    assert page.get_by_role("columnheader", name="Margin").count() == 0
    page.get_by_role("link", name="serpent").first.click()
    page.get_by_role("columnheader", name="Margin").wait_for()
    assert re.search(r"\t[+−]\d+\.\d\t", page.locator(".standings tbody tr").first.inner_text())
    page.get_by_role("link", name="Cross-table").click()
    cells = page.locator("td.heat")
    cells.first.wait_for()
    assert cells.count() == 6
    assert re.search(r"^\w+ against \w+: \d+ above, \d+ level, \d+ below", str(cells.first.get_attribute("title")))


def test_tables_sort_with_mouse_and_keyboard(new_screen: NewScreen) -> None:
    page = new_screen().open("#/standings/overall")
    heading = page.get_by_role("columnheader", name="Bot")
    names = page.locator("tbody th a")
    heading.get_by_role("button").click()
    assert (heading.get_attribute("aria-sort"), names.all_inner_texts()) == ("ascending", ["ada", "bo", "cy"])
    page.keyboard.press("Enter")
    assert (heading.get_attribute("aria-sort"), names.all_inner_texts()) == ("descending", ["cy", "bo", "ada"])


def test_matches_are_filtered(new_screen: NewScreen) -> None:
    page = new_screen().open("#/matches")
    page.get_by_label("Game").select_option("pippip")
    assert set(page.locator("tbody td:nth-child(4)").all_inner_texts()) == {"pippip"}
    page.get_by_label("Game").select_option("")
    page.get_by_label("Faults").select_option("1")
    assert "faults=1" in page.url
    page.locator("tbody tr").first.get_by_role("link").last.click()
    assert "crash" in page.locator(".now.fault").inner_text()
    assert "What it was asked:" in page.locator(".explained pre").inner_text()


STEP_TO_THE_END: Final = """() => {
    const said = [document.querySelector('.now').firstChild.data];
    for (let n = 0; n < 5000 && !document.querySelector('button[aria-label="Forward"]').disabled; n++) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
        said.push(document.querySelector('.now').firstChild.data);
    }
    return said;
}"""


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_steps_to_its_end_and_is_the_record(new_screen: NewScreen, base: str, game: str) -> None:
    screen = new_screen()
    match = first_match(screen, base, game)
    record = screen.page.request.get(f"{base}api/match/{match}").json()
    page = screen.open(f"#/match/{match}/{len(record['frames']) // 2}")
    screen.keep(f"replay-{game}")
    screen.assert_accessible()
    page.keyboard.press("Home")
    assert page.evaluate(STEP_TO_THE_END) == [frame["say"] for frame in record["frames"]]
    assert scores_drawn(page, game) == record["frames"][-1]["outcome"]["scores"]
    screen.keep(f"replay-{game}-end")


def scores_drawn(page: Page, game: str) -> list[int]:
    """By seat, from what is on the table."""

    def number(texts: list[str]) -> list[int]:
        return [int(re.sub(r"\D", "", text)) for text in texts]

    if game == "dominion":
        return [page.locator(f'.territory[data-owner="{seat}"]').count() for seat in range(2)]
    names = page.locator(".about .who").all_inner_texts()
    points = number(page.locator(".about .chip:has-text('points') b").all_inner_texts())
    if game == "wichita":
        hands = page.locator(".panel .hand")
        points = [have - hands.nth(at).locator(".card").count() for at, have in enumerate(points)]
    by_letter = sorted(zip([name.split()[0] for name in names], points, strict=True))
    return [points for _, points in by_letter]


def test_a_moment_of_a_match_has_an_address(new_screen: NewScreen, base: str) -> None:
    screen = new_screen()
    match = first_match(screen, base, "serpent")
    page = screen.open(f"#/match/{match}/17?seat=1")
    assert page.locator("output").inner_text().startswith("17 / ")
    assert page.locator(".card.back").count() > 0
    page.get_by_label("Seen by").select_option("")
    page.locator(".card.back").first.wait_for(state="detached")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_label("Speed").select_option("120")
    page.locator("output", has_text=re.compile("^(19|[2-9][0-9]) / ")).wait_for()
    page.get_by_role("button", name="Pause").click()


def test_the_fault_is_one_key_away(new_screen: NewScreen, base: str) -> None:
    screen = new_screen()
    page = screen.open(f"#/match/{first_match(screen, base, 'pippip', faults=True)}")
    page.keyboard.press("f")
    assert "a fault: crash: exit status 3" in page.locator(".now.fault").inner_text()
    screen.keep("fault")


@pytest.mark.parametrize("game", ["pippip", *(pytest.param(game, marks=pytest.mark.long) for game in OTHERS)])
def test_a_match_is_played_to_its_end_by_clicking(new_screen: NewScreen, game: str) -> None:
    screen = new_screen()
    page = screen.open("#/play?wait=0")
    page.get_by_role("radio", name=re.compile(rf"^{re.sub('pippip', 'Pip-Pip', game)}", re.IGNORECASE)).check()
    page.get_by_label("Against").select_option("random")
    if game == "dominion":
        page.get_by_label("Size").fill("3")
        page.get_by_label("Max rounds").fill("9")
    page.get_by_label("Deal").fill("clicked")
    page.get_by_role("button", name="Sit down").click()
    answered = 0
    over, ask = page.locator(".ask.over"), page.locator(".ask[data-number]")
    seen = ""
    while True:
        page.locator(f".ask.over, .ask[data-number]:not([data-number='{seen}'])").first.wait_for()
        if over.count():
            break
        seen = str(ask.get_attribute("data-number"))
        answer(page, ask, str(ask.get_attribute("data-kind")))
        answered += 1
        if answered == 8:
            screen.keep(f"play-{game}")
            screen.assert_accessible()
    assert answered > 5
    assert re.match(r"You (have won|have lost|share the first place)$|A draw$", over.locator("h2").inner_text())
    page.get_by_role("link", name="Watch it with all cards").click()
    page.locator(".now").wait_for()
    page.keyboard.press("End")
    assert page.locator(".now").inner_text().startswith("The match is over: 1. ")


def answer(page: Page, ask: Locator, kind: str) -> None:
    """The first answer that a mouse can reach."""
    if kind in {"lead", "answer", "play"}:
        page.locator(".slot.pick:enabled").first.click()
    elif kind in {"give", "reveal"}:
        for place in range(3):
            page.locator(".slot.pick:enabled").nth(place).click()
        ask.locator(".choice").click()
    elif kind == "lay":
        ideas = ask.locator(".idea")
        if ideas.count():
            ideas.first.click()
        ask.locator(".choice.primary").click()
    elif kind in {"attack", "advance", "deploy"} and page.locator(".territory.may").count():
        number = ask.get_attribute("data-number")
        page.locator(".territory.may").first.click()
        if page.locator(f".ask[data-number='{number}'] .choice").count() and page.locator(".territory.chosen").count():
            ask.locator(".choice").last.click()
    else:
        ask.locator(".choice").last.click()


def test_a_stack_is_built_from_cards_and_what_is_none_is_said(new_screen: NewScreen) -> None:
    page = new_screen().open("#/play?wait=0")
    page.get_by_role("radio", name="Wichita").check()
    page.get_by_role("button", name="Sit down").click()
    ask = page.locator(".ask[data-number]")
    ask.wait_for()
    while ask.get_attribute("data-kind") != "lay":
        number = ask.get_attribute("data-number")
        ask.locator(".choice").last.click()
        page.locator(f".ask[data-number]:not([data-number='{number}'])").wait_for()
    make = ask.get_by_role("button", name="Make it a stack")
    assert make.is_disabled()
    cards = ask.locator(".idea").first.inner_text().translate(str.maketrans("♣♦♥♠", "CDHS")).split()
    for card in cards:
        page.locator(f".slot.pick:enabled:not(.chosen)[data-card='{card}']").first.click()
    page.get_by_text("That is a stack.").wait_for()
    make.click()
    assert page.locator(".built").count() == 1
    ask.get_by_role("button", name="take back").click()
    page.locator(".slot.pick:enabled").first.click()
    page.locator(".why", has_text=re.compile(r"\w")).wait_for()
    assert make.is_enabled() == (page.locator(".why").inner_text() == "That is a stack.")


def test_a_report_opens_from_disk_alone_and_shows_everything(
    new_screen: NewScreen, night: Path, tmp_path: Path
) -> None:
    file = tmp_path / "night.html"
    file.write_text(report(night, []), encoding="utf-8")
    screen = new_screen(file.as_uri())
    page = screen.open("")
    assert page.locator("h2:text('Standings: ')").count() == 5
    assert page.locator("h2:text('Cross-table: ')").count() == 4
    assert page.locator("h2.name").all_inner_texts() == ["ada", "bo", "cy"]
    screen.keep("report", whole=True)
    screen.assert_accessible()
    assert page.pdf(path=tmp_path / "night.pdf")[:4] == b"%PDF"
    page.locator("a[href^='#/match/']").filter(has_text="Dominion").first.click()
    page.locator(".now").wait_for()
    about = json.loads(page.locator("#about").text_content() or "")
    frames = about["replays"][page.url.rpartition("/")[2]][0]["frames"]
    assert page.evaluate(STEP_TO_THE_END) == [frame["say"] for frame in frames]
    page.get_by_role("link", name="Matches").click()
    page.locator(".pages", has_text=f"of {len(about['matches'])} matches").wait_for()


def test_a_final_is_found_by_its_name_and_who_is_not_in_it_is_listed(new_screen: NewScreen, tmp_path: Path) -> None:
    path = final_night(tmp_path, 'final = { name = "knockout", bots = 4, deals = 2 }')
    with open_store(path) as store:
        while play_round(store):
            pass
    file = tmp_path / "final.html"
    file.write_text(report(path, []), encoding="utf-8")
    screen = new_screen(file.as_uri())
    for view in ("standings", "cross"):
        page = screen.open(f"#/{view}/serpent, final")
        assert page.locator(".tabs [aria-current]").inner_text() == "serpent, final"
    page = screen.open("#/matches?contest=serpent, final")
    page.locator(".pages", has_text="of 12 matches").wait_for()
    page = screen.open("#/standings/serpent")
    assert page.locator("tbody tr td:nth-last-child(2)").all_inner_texts() == ["16"] * 5


LONG_NAME: Final = "Maximilian Alexander Hohenstein-Schröder"


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.long)])
def test_a_long_name_leaves_room_for_what_matters(new_screen: NewScreen, tmp_path: Path, width: int) -> None:
    path = final_night(tmp_path, 'final = { name = "knockout", bots = 4, deals = 2 }', first=LONG_NAME)
    with open_store(path) as store:
        while play_round(store):
            pass
    with served(Showing(path)) as base:
        screen = new_screen(base, width=width)
        for view in ("standings/serpent", f"bots/{LONG_NAME}", "cross/serpent", "standings/serpent, final"):
            page = screen.open(f"#/{view}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            screen.assert_accessible()
        page = screen.open("#/standings/serpent")
        assert page.locator("tbody th a", has_text=LONG_NAME).get_attribute("title") == LONG_NAME
        assert_seen(page, page.locator("thead th", has_text="Elo"), width)
        assert_seen(page, page.locator("thead th", has_text="Matches" if width > 1000 else "95 %"), width)
        page = screen.open(f"#/bots/{LONG_NAME}")
        for column in ("Points", "Above", "Level", "Below"):
            assert_seen(page, page.locator("thead th", has_text=column).first, width)


def assert_seen(page: Page, place: Locator, width: int) -> None:
    """Seen without scrolling sideways."""
    box = place.bounding_box()
    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= width + 1, place


def test_a_knockout_has_its_bracket_and_its_winner(new_screen: NewScreen, tmp_path: Path) -> None:
    form = 'schedule = { name = "swiss", rounds = 2 }\nfinal = { name = "knockout", bots = 4, deals = 2 }'
    path = final_night(tmp_path, form)
    with open_store(path) as store:
        while play_round(store):
            pass
        store.append(ENDED, {"secret": SECRET.key.hex(), "digest": "", "standings_sha256": ""})
        final = standings(last_night(store)).tables[1]
    with served(Showing(path)) as base:
        screen = new_screen(base)
        page = screen.open("#/standings/serpent, final")
        played = final.rounds[-1]
        assert final.winner is not None and played.points is not None
        share = f"{int(100 * played.points[final.winner] + 0.5)} %"
        how = "; the seed decided" if played.by_seed else ""
        assert (
            page.locator(".winner").inner_text()
            == f"★ {final.winner} has won the final with {share} of the points{how}."
        )
        seeded = sum(any(bot in table for bot in past.by_seed) for past in final.rounds for table in past.round.tables)
        assert page.get_by_text("the seed decided", exact=True).count() == seeded
        assert page.locator(".bracket .round").count() == 2
        assert page.locator(".bracket .round").last.locator(".on .bot").inner_text() == final.winner
        names = [text.partition(" (")[0] for text in page.locator(".standings tbody th").all_inner_texts()]
        assert names == [row.bot for row in final.rows]
        screen.keep("bracket")
        page = screen.open("#/standings/serpent")
        assert page.locator(".rounds .round h3").all_inner_texts() == ["Round 1", "Round 2"]
        assert page.get_by_text("Sits out").count() == 2


def test_an_unknown_page_is_said_to_be_one(new_screen: NewScreen) -> None:
    screen = new_screen()
    page = screen.open("#/nosuchpage")
    assert page.locator("h1").inner_text() == "There is no such page"
    page.get_by_role("link", name="To the first page").click()
    page.get_by_role("heading", name="Standings").wait_for()
