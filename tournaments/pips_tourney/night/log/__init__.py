"""What is on disk: the database of a night, its hash chain, and the files beside it.

Nothing here knows what is played next.

**Invariant**: what was stored is never changed.
"""
