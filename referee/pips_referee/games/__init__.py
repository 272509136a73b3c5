"""One room per game.

**Invariant**: no game imports another, or reads a clock or a file.
"""
