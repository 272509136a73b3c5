"""Playing a night: from a league file to its last stored result.

Hands matches to an engine, stores what comes back, and follows what the director
decides.

**Invariant**: a result that was stored is never played again.
"""
