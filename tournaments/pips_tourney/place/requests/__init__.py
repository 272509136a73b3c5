"""What a request may be: its size, time and number, and where it comes from.

**Invariant**: one visitor cannot take what all others need.
"""
