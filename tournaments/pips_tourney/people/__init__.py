"""The people who take part: invites, visits, the roster, and connected guests.

Browser, terminal, API and bots that dial in share one store.

**Invariant**: this room knows nothing of nights and leagues.
"""
