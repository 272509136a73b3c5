"""How an arena or a match of it is lost through the machine."""


class VoidMatch(Exception):
    """The machine failed: the match is to be played again."""

    def __init__(self, why: str, bot: str = "") -> None:
        super().__init__(why)
        self.bot = bot
        """The bot that it failed, if it was one alone."""


class ArenaLost(Exception):
    """The referee or the keeper did not start, or ended."""
