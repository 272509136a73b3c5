"""The referee: rules, matches, records, and the gRPC service that hosts them.

**Invariant**: the same seed and the same answers give the same match.
"""
