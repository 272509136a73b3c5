"""What anybody can check about a night afterwards: its promise, its end, every record.

**Invariant**: whatever can be computed is not taken on trust.
"""
