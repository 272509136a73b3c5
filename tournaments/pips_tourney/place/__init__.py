"""A league as a place: people hand in from a browser, and their bots play at once.

This room knows the night, the check and the play. Only the command line imports it.

**Invariant**: an acknowledged hand-in is never lost.
"""
