"""People who take part: their invites and visits, the roster, guests who are here.

Browser, terminal, API and bots that dial in share one store.

**Invariant**: it knows no night and no league.
"""
