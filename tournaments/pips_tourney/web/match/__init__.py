"""One match on screen: its frames, its faults, and what analysis says of it.

**Invariant**: the frames of a seat show only what that seat could see.
"""
