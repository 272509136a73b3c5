"""Bots as files and commands: how they are found, started, and with which interpreter.

It knows files, environments and the SDK, but no league, no night and no arena.

**Invariant**: the same files and command are the same bot.
"""
