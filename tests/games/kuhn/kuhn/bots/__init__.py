"""Sample bots of Kuhn poker."""
