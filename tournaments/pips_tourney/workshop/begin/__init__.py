"""A folder to begin with: a bot in any language, or a game.

**Invariant**: what is begun plays at once, and no file is overwritten.
"""
