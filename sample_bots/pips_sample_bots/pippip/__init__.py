"""Pip-Pip!'s sample bots, weakest first: random, cautious, greedy, search."""

from typing import Final

NEEDS: Final = {"search": "numpy"}
"""Modules that a bot needs beside the SDK, by its name."""
