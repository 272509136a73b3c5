"""Pip-Pip!: tricks with two packs, in which a king and a queen of one suit change the trumps."""
