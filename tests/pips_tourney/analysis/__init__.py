"""Luck ledgers and analyses of decisions."""
