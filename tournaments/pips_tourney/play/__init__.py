"""Playing a night: from a league file to its last stored result.

The room hands matches to an engine, stores the results, and follows the director's
decisions.

**Invariant**: a stored result is never played again.
"""
