"""The command lines `pips-tourney` and `pips-bot`.

A command parses its arguments, calls one function of another room, and prints the
result.

**Invariant**: nothing imports a command.
"""
