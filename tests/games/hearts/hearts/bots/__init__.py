"""Sample bots of Hearts."""
