"""The author's commands, `pips-bot`.

Find a bot, make a new one, check it, play it, watch it, play against it.

**Invariant**: an author's command changes no night.
"""
