"""Serpent: eight hands on two rows of six cards, scored for pairs and runs."""
