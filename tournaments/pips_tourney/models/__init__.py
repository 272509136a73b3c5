"""Language models that a league's bots ask: the proxy, and the book of its answers.

It knows endpoints, sockets and SQLite. It knows nothing of leagues and arenas.

**Invariant**: no bot sees a key.
"""
