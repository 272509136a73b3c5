"""What anybody can check of a night afterwards: its promise, its end, every record.

**Invariant**: what can be computed is not believed.
"""
