"""Which bots, which deals, which seats.

Pure functions from a list of bots to the matches in their fixed order.

**Invariant**: the same bots and deals give the same matches in order.
"""

from pips_tourney.schedule.balance import Balance, balance, balanced_tables
from pips_tourney.schedule.league import MAX_TABLES, gauntlet, round_robin
from pips_tourney.schedule.rounds import Round, knockout_round, knockout_rounds, survivors, swiss_round
from pips_tourney.schedule.tables import (
    Pairing,
    balanced_orders,
    cyclic_orders,
    play_deal,
    play_deals,
    play_once,
    reseated,
)

__all__ = [
    "MAX_TABLES",
    "Balance",
    "Pairing",
    "Round",
    "balance",
    "balanced_orders",
    "balanced_tables",
    "cyclic_orders",
    "gauntlet",
    "knockout_round",
    "knockout_rounds",
    "play_deal",
    "play_deals",
    "play_once",
    "reseated",
    "round_robin",
    "survivors",
    "swiss_round",
]
