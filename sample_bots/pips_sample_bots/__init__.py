"""Bots to start from and to measure yours against; each is one file, as you could have written it."""
