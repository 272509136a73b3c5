"""The luck of a night, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from pips_referee.printable import plain
from pips_referee.records.replay import INDENT
from pips_tourney.analysis.ledger import BotLuck, LuckLedger
from pips_tourney.reports.own_records import SHORT


def luck_lines(ledger: LuckLedger) -> Iterator[str]:
    """The luck of every bot, a table for each contest."""
    for contest, rows in ledger.by_bot().items():
        yield f"{contest}: what luck gave, in points of its matches"
        width = max(len(row.bot) for row in rows)
        for row in rows:
            yield INDENT + plain(luck_line(row, width))
    yield ""
    yield "The figure after +- is usual: about one bot in three has more, by luck alone."
    yield "It is counted by the value function of each game, and stays out of the standings."
    for game in ledger.uncommitted:
        yield f"The night did not name the value function of {game} beforehand: its luck proves nothing."


def luck_line(row: BotLuck, width: int = 0) -> str:
    """A bot's luck, and the matches with its most and least luck."""
    return (
        f"{row.bot:{width}}  {row.points:+7.1f} of {row.matches} (usual +-{row.usual:.1f})  "
        f"luckiest {row.luckiest[:SHORT]}, unluckiest {row.unluckiest[:SHORT]}"
    )
