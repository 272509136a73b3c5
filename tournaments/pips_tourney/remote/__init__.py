"""Bots that dial in from other machines.

Certificates, the waiting room, and the guest's side. This room knows engines and
arenas. `play` plays a night with remote bots like any other.

**Invariant**: nobody reaches the referee without a token of their own.
"""
