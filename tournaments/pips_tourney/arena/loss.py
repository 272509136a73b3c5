"""How an arena or a match of it is lost through the machine."""


class VoidMatch(Exception):
    """The machine failed: the match is to be played again."""


class ArenaLost(Exception):
    """The referee or the keeper did not start, or ended."""
