"""Dominion bots: random, cautious, greedy."""
