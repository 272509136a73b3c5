"""Sample bots for OpenSpiel games without hidden information."""
