"""What is on screen while a night is played: news, tables in progress, a person's seat.

**Invariant**: the news of a moment is made once, for all spectators.
"""
