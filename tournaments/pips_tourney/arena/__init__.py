"""Where matches are played: a referee, bot processes, and the keeper that runs them.

This room knows leagues, bots and the sandbox, but no database and no standings.
keeper.py runs with only the standard library, so this file imports nothing.

**Invariant**: no bot outlives the keeper that started it.
"""
