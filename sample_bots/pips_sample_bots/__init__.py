"""Bots to start from and to play against; each is one file."""
