"""A night as it is kept: its schedule, its database, its standings, what its director
decided.

The log of results is the only truth, and everything else is folded from it. Knows
leagues, schedules and ratings; starts no process.
"""
