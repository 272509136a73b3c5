"""The command lines `pips-tourney` and `pips-bot`.

A command parses its words, calls one function of another room, and prints what that
returns.

**Invariant**: nothing imports a command.
"""
