"""The gRPC service that hosts matches: who connects, sits, answers and is answered.

**Invariant**: what a bot sends changes its own seat at its own table, and no other.
"""
