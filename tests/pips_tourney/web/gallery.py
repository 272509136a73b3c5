"""A page at 1920, 1280 and 390 pixels, light and dark: pictures, axe, and the keyboard.

The pictures are for people: artifacts/web/gallery-*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from playwright.sync_api import Browser, Page

from tests.pips_tourney.web.browser import Screen

SHAPES: Final[Mapping[str, dict[str, Any]]] = {
    "1280": {"width": 1280},
    "1280-dark": {"width": 1280, "dark": True},
    "390": {"width": 390, "height": 844},
    "390-dark": {"width": 390, "height": 844, "dark": True},
    "1920": {"width": 1920, "height": 1080},
    "1920-dark": {"width": 1920, "height": 1080, "dark": True},
}
MOST_TABS: Final = 70
MORE_TABS: Final = 15
"""A field for a date has several stops."""
OVER: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def in_all_shapes(browser: Browser, base: str, name: str, go: Callable[[Screen], object]) -> None:
    """Go to a page in each shape: it fits, axe finds nothing, Tab reaches all."""
    for shape, how in SHAPES.items():
        screen = Screen(browser, base, **how)
        screen.page.set_default_timeout(60_000)
        go(screen)
        screen.page.evaluate("scrollTo(0, 0)")
        screen.keep(f"gallery-{name}-{shape}", whole="screen" not in name)
        screen.assert_accessible()
        assert screen.page.evaluate(OVER) <= 0, f"wider than the screen at {shape}"
        if shape == "1280":
            assert_keyboard_is_enough(screen.page)
        screen.assert_quiet()
        screen.close()


STOPS: Final = """() => {
    const all = document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]');
    window.stops = [...all].filter((e) => {
        if (e.disabled || !e.checkVisibility({visibilityProperty: true})) return false;
        if (e.type !== 'radio') return true;
        const group = [...document.querySelectorAll(`input[name="${e.name}"]`)];
        return e.checked || (!group.some((one) => one.checked) && group[0] === e);
    });
    window.look = (e) => [e, ...e.querySelectorAll('*')].slice(0, 9).map((one) => {
        const s = getComputedStyle(one);
        return [s.outline, s.transform, s.stroke, s.strokeWidth, s.strokeDasharray, s.boxShadow, s.left].join();
    }).join();
    window.plain = window.stops.map(window.look);
    document.activeElement.blur();
    getSelection().collapse(document.body, 0);
    return window.stops.length;
}"""
HERE: Final = """() => {
    const e = document.activeElement, at = window.stops.indexOf(e);
    return [at, at >= 0 && window.look(e) === window.plain[at] ? e.outerHTML.slice(0, 200) : ''];
}"""
MISSED: Final = (
    "(reached) => window.stops.filter((_, at) => !reached.includes(at)).map((e) => e.outerHTML.slice(0, 160))"
)


def assert_keyboard_is_enough(page: Page) -> None:
    """Tab reaches all that a mouse can click, and shows where it is."""
    count = page.evaluate(STOPS)
    reached: set[int] = set()
    for _ in range(min(count, MOST_TABS) + MORE_TABS):
        page.keyboard.press("Tab")
        at, unseen = page.evaluate(HERE)
        assert not unseen, f"nothing shows that this has the focus: {unseen}"
        reached.add(at)
    missed = page.evaluate(MISSED, sorted(reached))
    assert len(missed) <= max(0, count - MOST_TABS), f"the tab key does not reach {missed[:5]}"
