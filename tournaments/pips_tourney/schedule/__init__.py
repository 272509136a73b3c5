"""Which bots, which deals, which seats.

Pure functions from a list of bots to the matches in their fixed order.

**Invariant**: the same bots and deals give the same matches in order.
"""
