"""Pip-Pip!'s sample bots, weakest first: random, cautious, greedy, search."""

from typing import Final

NEEDS: Final = {"search": "numpy"}
"""By name of the bot, the modules that it needs besides the SDK."""
