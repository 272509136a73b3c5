"""Bots at one table: played, compared, watched, or joined by a person.

**Invariant**: the same seed gives the same deals.
"""
