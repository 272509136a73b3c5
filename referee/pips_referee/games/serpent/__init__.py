"""Serpent: eight hands of two rows of six, scored for pairs and runs."""
