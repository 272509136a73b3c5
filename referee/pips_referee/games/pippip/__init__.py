"""Pip-Pip!: tricks with two packs; a king and a queen of one suit change the trumps."""
