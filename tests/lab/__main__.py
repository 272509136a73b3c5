"""The laboratories: `make lab` lists them, `make lab WHAT=soak` runs one.

    python -m tests.lab [NAME [ARGUMENT ...]]

A laboratory measures or simulates something that the README or a page of docs/ claims.
Before a release those run whole whose figures the README or docs/ quote.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple


class Laboratory(NamedTuple):
    """The words after `python -m`, the minutes they take, and what they show."""

    words: str
    minutes: int
    shows: str


LABORATORIES: Final = {
    "analysis": Laboratory(
        "tests.lab.worth.costs", 60, "whether analyses tell the truth: planted mistakes, costs, intervals"
    ),
    "behaviours": Laboratory(
        "tests.lab.behaviours", 2, "a league with every behaviour of a model's server: who pays for what"
    ),
    "bench": Laboratory("tests.lab.bench", 25, "what everything costs; ARGS names rooms: runner, growth, nights, ..."),
    "channels": Laboratory(
        "tests.lab.channels", 2, "what carries words between processes of a bot (ARGS='--nights 1000': 15 min more)"
    ),
    "chaos": Laboratory(
        "tests.lab.chaos", 20, "nights whose processes are killed again and again (ARGS='--nights 100')"
    ),
    "circle": Laboratory(
        "pips_tourney run tests/lab/circle/league.toml --db build/circle.db --new",
        2,
        "a league of three bots that beat one another in a circle, in Dominion",
    ),
    "clauses": Laboratory(
        "tests.lab.clauses", 5, "how often each clause of the rulebooks decides, and 40 planted mistakes"
    ),
    "compare": Laboratory(
        "tests.lab.compare", 20, "comparisons of 2,000 simulated pairs of versions a game: intervals, wrong verdicts"
    ),
    "contradictions": Laboratory(
        "tests.lab.simulate.contradictions", 10, "2,000 degenerate leagues, whose sentences and numbers must agree"
    ),
    "evening": Laboratory(
        "tests.lab.evening", 17, "a teacher's evening: a class of 25, two nights, a gala, a hosted night; a course"
    ),
    "forecast": Laboratory(
        "tests.lab.simulate.forecast", 60, "10,000 nights and 100 of sample bots against their forecasts, and Elo's"
    ),
    "fuzz": Laboratory("tests.lab.fuzz", 10, "100,000 mutated messages to a live referee"),
    "gallery": Laboratory(
        "pytest -q -n0 -m long tests/pips_tourney/web/test_gallery.py tests/pips_tourney/place/test_place_gallery.py",
        10,
        "every page in all shapes: pictures in artifacts/web/, axe, keyboard",
    ),
    "ghosts": Laboratory("tests.lab.ghosts", 1, "100,000 mutated replies of a language model, in all games"),
    "hearts": Laboratory("tests.lab.hearts", 5, "Hearts of tests/games beside OpenSpiel's (pip install open_spiel)"),
    "heavy": Laboratory(
        "tests.lab.simulate.heavy", 20, "whether rare and huge luck settles a night by points too early (ARGS='2000')"
    ),
    "languages": Laboratory(
        "pytest -q -n0 tests/pips_sdk/lines/every_language.py", 10, "bots begun in every language, built and played"
    ),
    "looping": Laboratory(
        "tests.lab.looping", 3, "what a bot that loops costs 20 clean ones, and that nobody's place moves"
    ),
    "luck": Laboratory(
        "tests.lab.worth.luck", 30, "the mean luck of 10,000 deals in every game, and one test that it is 0"
    ),
    "margins": Laboratory(
        "tests.lab.simulate.worth", 60, "what a match by margin is worth beside by result, on thousands of deals"
    ),
    "mutants": Laboratory(
        "tests.lab.nights.mutants", 60, "planted mistakes, and how long simulated nights take to find each"
    ),
    "mutation": Laboratory("tests.lab.mutation", 60, "mutation tests of a game's rules (ARGS=serpent)"),
    "nights": Laboratory(
        "tests.lab.nights", 2, "whole nights of faults on simulated time (ARGS='--seed 1 --nights 100')"
    ),
    "order": Laboratory("tests.lab.bench.truth", 60, "CPU time until the order of the bots is right and settled"),
    "peers": Laboratory(
        "tests.lab.bench.peers", 10, "our games beside those of other libraries, installed in .venv-peers"
    ),
    "openspiel": Laboratory(
        "tests.lab.openspiel", 10, "twenty games of OpenSpiel in a night, and what duplicate deals bring in each"
    ),
    "pictures": Laboratory(
        "tests.lab.pictures", 2, "the pictures of the README anew, from a night that is played for them"
    ),
    "place": Laboratory(
        "tests.lab.place", 7, "60 students hand in within five minutes, half of them mistakes: how long each waits"
    ),
    "place-flood": Laboratory(
        "tests.lab.place.flood", 2, "10,000 connections to a place; those who were there before go on"
    ),
    "place-kills": Laboratory(
        "tests.lab.place.kills", 10, "a place is killed 20 times while a class hands in; nothing may be lost"
    ),
    "place-slow": Laboratory(
        "tests.lab.place.slow", 13, "what a bot that slows its tables costs a place, by how it does so"
    ),
    "planted": Laboratory(
        "tests.lab.planted", 30, "seven planted changes: whether a comparison tells each right, and shows where"
    ),
    "rounding": Laboratory(
        "tests.lab.simulate.precise", 120, "5,000 fits again in long doubles, and with the bots renamed"
    ),
    "screening": Laboratory(
        "tests.lab.worth.screening", 20, "what the screening of an analysis takes beside a full one"
    ),
    "silence": Laboratory("tests.lab.silence", 5, "what the time until the next question tells"),
    "simulate": Laboratory(
        "tests.lab.simulate", 240, "simulated leagues: whether intervals and stopping rules keep their word"
    ),
    "soak": Laboratory("tests.lab.soak", 4, "10,000 random matches of every game, over all seats and options"),
    "tab": Laboratory(
        "tests.lab.tab", 3, "a bot in a tab: first and second visit, 200 matches, the server's share, the same records"
    ),
    "teach-pippip": Laboratory(
        "tests.lab.teach.pippip.teach", 40, "teach the networks of Pip-Pip!'s `search` anew, in C++ (ARGS='--seats 3')"
    ),
    "teach-wichita": Laboratory(
        "tests.lab.teach.wichita", 60, "improve the prices of Wichita's `search` by trial (ARGS='--seats 2')"
    ),
    "truth": Laboratory(
        "tests.lab.simulate.truth 2000",
        30,
        "what is said of an order beside the truth, in 37 fields, held to its targets",
    ),
    "web": Laboratory(
        "tests.lab.bench.web", 10, "what the pages cost: their share of a night, their age, a page of 10,000"
    ),
    "worth": Laboratory("tests.lab.worth", 10, "fit the games' value functions anew, and say how true they are"),
}


def main() -> None:
    """List the laboratories, or run the named one in a process of its own."""
    if len(sys.argv) == 1:
        for name, laboratory in LABORATORIES.items():
            print(f"  {name:14} {laboratory.minutes:4} min   {laboratory.shows}")
        return
    name, *arguments = sys.argv[1:]
    if name not in LABORATORIES:
        raise SystemExit(f"there is no laboratory {name!r}; `make lab` lists them")
    Path("build").mkdir(exist_ok=True)
    command = [sys.executable, "-m", *LABORATORIES[name].words.split(), *arguments]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
