"""Before a night: what will and will not hold on this machine.

It knows leagues, arenas and the sandbox.

**Invariant**: it plays no night and opens no database.
"""
