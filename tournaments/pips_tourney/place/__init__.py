"""A league as a place: people hand in from a browser, and their bots play at once.

It knows the night, the check and the play. Nothing but the command line knows it.

**Invariant**: a hand-in that was acknowledged is kept.
"""
