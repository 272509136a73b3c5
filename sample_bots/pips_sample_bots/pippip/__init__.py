"""Pip-Pip! bots: random, cautious, greedy."""
