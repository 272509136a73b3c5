"""One room per game."""
