"""Bots that dial in from other machines.

Certificates, the waiting room, the joining end. It knows engines and arenas.
The night is played by `play` like any other.

**Invariant**: nobody gets to the referee without a token of theirs.
"""
