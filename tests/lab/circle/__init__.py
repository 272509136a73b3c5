"""Three bots for short matches of Dominion that beat one another in a circle."""
