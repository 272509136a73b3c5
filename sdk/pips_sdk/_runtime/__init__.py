"""How a bot's process runs: its stream, its tables, what it prints.

Bots import none of this. Programs of Pips that start or read a bot's process do.

**Invariant**: an exception of a bot costs its match, not its process.
"""
