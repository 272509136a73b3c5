"""A night of more bots than an arena keeps alive: few processes, the same standings."""

from __future__ import annotations

import time

import psutil

from tests.e2e.desk import Desk, finish

FIVE = tuple(f"{name}={sample}" for name, sample in zip("abcde", ("random", "greedy", "cautious") * 2, strict=False))
MOST = 6
FEW_ALIVE = f"""
from pips_tourney.engines import match_queue as feed
from pips_tourney.arena import roster
roster.MOST_ALIVE = feed.MOST_ALIVE = {MOST}
from pips_tourney.cli.tourney import main
main()
"""


def test_few_bots_are_alive_at_once_and_the_standings_are_the_same(desk: Desk) -> None:
    desk.league(*FIVE, deals=2)
    crowded, _ = finish(desk.play())
    spare = desk.begin(
        "run", "night.toml", "--secret-file", "secret", "--json", "--arenas", "1", "--new", program=("-c", FEW_ALIVE)
    )
    most = 0
    while spare.poll() is None:
        bots = [process for process in desk.named("pips_sample_bots") if not of_bubblewrap(process)]
        most = max(most, len(bots))
        time.sleep(0.05)
    assert finish(spare)[0] == crowded
    assert 2 <= most <= MOST + 4  # processes that are starting or ending


def of_bubblewrap(process: psutil.Process) -> bool:
    """Return whether it is bubblewrap's own process, or one that has ended.

    Bubblewrap's own processes have the bot's command in theirs.
    """
    try:
        return bool(process.name() == "bwrap")
    except psutil.Error:
        return True
