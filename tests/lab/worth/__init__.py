"""How the games' value functions are fitted to self-play, and how well they fit."""
