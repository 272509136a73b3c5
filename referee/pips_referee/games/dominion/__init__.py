"""Dominion: armies on a playfield of cards; the aim is to occupy all of it."""
