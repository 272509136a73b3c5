"""A real circle in a real game: what the standings say of three bots for Dominion."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from pips_referee.game import get_game
from pips_sdk import play_match
from pips_tourney.league.read import read_league
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from pips_tourney.reports.tables import circle_lines
from pips_tourney.schedule.league import round_robin
from tests.lab.circle.bots import BOTS

LEAGUE = Path(__file__).with_name("league.toml")
DEALS = 100


def results(options: dict[str, int], deals: int) -> Iterator[Result]:
    """A league of the three in this process, always the same."""
    read = get_game("dominion").options(options)
    for pairing in round_robin(BOTS, 2, deals):
        block = f"{pairing.combination} {pairing.deal}"
        match = play_match([BOTS[name] for name in pairing.seating], sha256(block.encode()).digest(), read)
        assert not match.outcome.faults
        yield Result(block, pairing.seating, tuple(match.outcome.places))


def test_three_bots_in_dominion_beat_one_another_in_a_circle() -> None:
    league = read_league(LEAGUE)
    (game,) = league.file.games
    ratings = rate(results(dict(game.options), DEALS))
    assert circle_lines(ratings) == [
        "guard beats rusher, rusher beats settler, settler beats guard: no order of these three is the whole story"
    ]
    met = {(each.a, each.b): each.score for each in ratings.meetings}
    met |= {(b, a): 1 - score for (a, b), score in met.items()}
    assert min(met["guard", "rusher"], met["rusher", "settler"], met["settler", "guard"]) > 0.53
    assert {*BOTS} == {bot.name for bot in league.file.bots}
