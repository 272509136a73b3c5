"""Wichita: draw, then lay down stacks of cards that make the sum of the dice."""
