"""A night as it is kept: schedule, database, standings, and the director's decisions.

The log of results is the only truth, and everything else is folded from it. This room
knows leagues, schedules and ratings. It starts no process.
"""
