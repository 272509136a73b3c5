"""How many deals of each contest a bot has played in full."""

from __future__ import annotations

from itertools import groupby

from pips_tourney.night.night import Night


def complete_deals(night: Night, bot: str) -> dict[str, int]:
    """By contest, how many deals from the first one a bot has played in full.

    In full means with everybody and from every seat.
    """
    numbers = {deal.name: number for number, deal in enumerate(night.programme.deals)}
    known = dict.fromkeys((contest.label for contest in night.programme.contests), 0)
    if bot not in {entrant.name for entrant in night.programme.entrants}:
        return known  # the bot was added, and nobody has played the night since
    complete: dict[str, int] = {}
    for _, pairs in groupby(night.kept(), lambda pair: pair[0].block):
        block = list(pairs)
        fixture = block[0][0]
        label, number = fixture.contest.label, numbers[fixture.deal.name]
        known[label] = max(known[label], number + 1)
        if bot in fixture.combination and any(row is None for _, row in block):
            complete[label] = min(complete.get(label, number), number)
    return known | complete
