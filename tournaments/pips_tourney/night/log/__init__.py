"""What lies on the disk: the database of a night, its chain, and what is beside it.

Nothing here knows what is played next.

**Invariant**: what was stored is never changed.
"""
