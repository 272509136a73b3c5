"""A night as it is kept: its log, plan, table and proof, and the director's acts.

The log of results is the only truth, and everything else is folded from it. This room
knows leagues, schedules and ratings. It starts no process.
"""
