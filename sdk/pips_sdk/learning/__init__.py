"""What a learner trains with: fields, opponents, many tables at once.

`vector` needs numpy; nothing else here does. The room knows the games and the SDK's
bots, and nothing of leagues.

**Invariant**: a learner sees what a bot at its seat would see.
"""
