"""The matches of a night's complete deals, which alone are analysed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pips_referee.records.record import Record, read_record
from pips_tourney.analysis.chosen import NothingChosen
from pips_tourney.night.night import Night
from pips_tourney.night.plan.fixtures import Fixture


def complete_blocks(night: Night) -> Iterator[list[Fixture]]:
    """The matches of each deal that counts and was played in every seating."""
    for _, pairs in groupby(night.kept(), lambda pair: pair[0].block):
        block = list(pairs)
        if all(row is not None for _, row in block):
            yield [fixture for fixture, _ in block]


def complete_deals_of(night: Night, contest: str) -> Iterator[list[str]]:
    """The match ids of the complete deals of one contest, deal by deal."""
    for block in complete_blocks(night):
        if block[0].contest.label == contest:
            yield [fixture.match_id for fixture in block]


def chosen_records(night: Night, bot: str) -> Iterator[Record]:
    """The records of a bot's matches in complete deals.

    Raises `NothingChosen` if the bot is not in the night, or has no complete deal.
    """
    names = [entrant.name for entrant in night.programme.entrants]
    if bot not in names:
        raise NothingChosen(f"there is no bot {bot} in this night; there are {', '.join(names)}")
    found = 0
    for block in complete_blocks(night):
        if bot in block[0].combination:
            rows = night.store.rows([fixture.match_id for fixture in block])
            found += len(rows)
            yield from (read_record(rows[fixture.match_id].record) for fixture in block)
    if not found:
        raise NothingChosen(f"no match of {bot} is over, with its deal played in every seating")
