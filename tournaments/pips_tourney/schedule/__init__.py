"""Which bots, which deals, which seats: pure functions from a list of bots to the matches in their fixed order."""

from pips_tourney.schedule.league import gauntlet, round_robin
from pips_tourney.schedule.tables import Pairing, cyclic_orders, play_deal, play_deals

__all__ = ["Pairing", "cyclic_orders", "gauntlet", "play_deal", "play_deals", "round_robin"]
