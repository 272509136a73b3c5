"""Serpent's sample bots, weakest first: random, cautious, greedy, search."""
