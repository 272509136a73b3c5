"""Serpent's sample bots, weakest first: random, greedy, search."""
