"""Before a night: what will work on this machine, and what will not.

This room knows leagues, arenas and the sandbox.

**Invariant**: it plays no night and opens no database.
"""
