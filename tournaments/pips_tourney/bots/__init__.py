"""Bots as files and commands: how they are found and started, by which interpreter.

This room knows files, environments and the SDK, but no league, no night and no arena.

**Invariant**: the same files and command are the same bot.
"""
