"""How long a bot took, and what of that it is charged.

**Invariant**: what is credited was the machine's or the referee's, never the bot's.
"""
