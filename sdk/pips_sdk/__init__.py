"""The SDK for bot writers: derive a bot from a game's base class and `run` it."""
