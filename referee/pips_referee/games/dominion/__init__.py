"""Dominion: armies on a playfield of cards, out to occupy all of it."""
