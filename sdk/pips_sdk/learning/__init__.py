"""Tools for training a learner: fields, opponents, many tables at once.

Only `vector` needs numpy. The package uses the games and the SDK's bots, and nothing of
leagues.

**Invariant**: a learner sees only what a bot at its seat would see.
"""
