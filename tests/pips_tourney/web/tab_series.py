"""The same series of matches in a browser's tab and in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from pips_tourney.web.browser.tab import handle

OURS = ("serpent", "wichita", "pippip", "dominion")
IN_A_WORKER = """
async (asked) => {
  const { about } = await import("./static/state.js");
  return new Promise((resolve) => {
    const told = [], { runtime, wheels, lock } = about.workshop;
    const at = (address) => new URL(address, document.baseURI).href;
    const worker = new Worker("static/tab.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      if (data.kind === "ready") for (const each of asked) worker.postMessage(each);
      told.push(data);
      if (data.kind === "broken" || told.filter(({ kind }) => kind === "over").length === asked.length) resolve(told);
    };
    worker.postMessage({ kind: "begin", runtime: at(runtime), wheels: wheels.map(at), lock });
  });
}
"""


def series(game: str, matches: int) -> dict[str, Any]:
    """What a page asks of its worker: a bot of the SDK's own answers plays `greedy`."""
    source = f"from pips_sdk import GameBot\n\nclass MyBot(GameBot):\n    game = {game!r}\n"
    about = {"game": game, "opponent": "greedy", "matches": matches, "seed": "tab", "python": [3, 11]}
    return {"kind": "play", "source": source, **about}


def unlike(page: Page, folder: Path, matches: int) -> list[str]:
    """The games that a tab plays otherwise than this process; times left out.

    Compared are all records, byte for byte, and what is said of the series.
    """
    asked = [series(game, matches) for game in OURS]
    here: list[dict[str, Any]] = []
    for each in asked:
        handle(json.dumps(each), lambda text: here.append(json.loads(text)), str(folder / "my_bot"))
    in_tab = [each for each in page.evaluate(IN_A_WORKER, asked) if each["kind"] == "result"]
    results = [each for each in here if each["kind"] == "result"]
    for each in [*in_tab, *results]:
        del each["lines"][-1]  # the times
    assert len(in_tab) == len(results) == len(OURS) and all(each["lost"] for each in results)
    return [game for game, one, other in zip(OURS, in_tab, results, strict=True) if one != other]
