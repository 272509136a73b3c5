"""The sandbox: what a bot's process may reach, and how much it may use.

This room knows a bot's executable, but no league and no match. keeper.py imports it
with only the standard library, so this file imports nothing.

**Invariant**: a bot cannot loosen its own confinement.
"""
