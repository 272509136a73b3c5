"""How long a bot took, and how much of that it is charged.

**Invariant**: credited time was spent by the machine or the referee, never the bot.
"""
