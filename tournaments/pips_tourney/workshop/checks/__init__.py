"""Whether bots are ready: one bot, all submissions of a league, and who is alike.

**Invariant**: a bot passes only if it could play a night of the league.
"""
