"""Language models that a league's bots ask: the proxy, and the book of its answers.

This room knows endpoints, sockets and SQLite, but no leagues and no arenas.

**Invariant**: no bot sees a key.
"""
