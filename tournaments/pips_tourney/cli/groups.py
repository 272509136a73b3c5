"""The commands of both programs, by what one wants to do.

Each is loaded when it is named. Beside its place stand the first sentence of its help,
so that a list of commands loads none, and an example.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

import click

from pips_referee.interrupted import Commands
from pips_tourney.cli.failure import Failed
from pips_tourney.extras import how_to_install


class CommandEntry(NamedTuple):
    """A command: its module in this package, its first sentence, an example.

    The function is called as the command.
    """

    place: str
    sentence: str
    example: str


Groups = Mapping[str, Mapping[str, CommandEntry]]

TOURNEY: Final[Groups] = {
    "Prepare": {
        "new": CommandEntry(
            "league_file", "Write a LEAGUE file to start from.", "pips-tourney new league.toml --like class"
        ),
        "check": CommandEntry(
            "check", "Check all submissions of a LEAGUE file, and this machine.",
            "pips-tourney check class.toml -o letters",
        ),
        "commit": CommandEntry(
            "belief", "Publish the hash of the secret of LEAGUE's next night, before hand-in closes.",
            "pips-tourney commit league.toml --close",
        ),
        "invite": CommandEntry(
            "invite", "Print the line with which a PLAYER of LEAGUE joins.", "pips-tourney invite league.toml ada"
        ),
    },
    "Play": {
        "run": CommandEntry(
            "run", "Play the night of a LEAGUE file, or what is left of it, and print its standings.",
            "pips-tourney run league.toml --web 8080",
        ),
        "serve": CommandEntry(
            "serve", "Open a LEAGUE to its people, or show a NIGHT as pages.",
            "pips-tourney serve class.toml --roster roster.csv",
        ),
    },
    "Direct": {
        "status": CommandEntry(
            "director", "Show how far a NIGHT is, who plays it, which bots are out, and all decisions.",
            "pips-tourney status league.db",
        ),
        "pause": CommandEntry(
            "director", "Pause a NIGHT: matches under way are finished, no new ones begin.",
            "pips-tourney pause league.db --reason 'ten minutes of break'",
        ),
        "resume": CommandEntry("director", "Let a paused NIGHT go on.", "pips-tourney resume league.db"),
        "add": CommandEntry(
            "director", "Add a BOT to a night that has begun.", "pips-tourney add league.db bots/late --name late"
        ),
        "withdraw": CommandEntry(
            "director", "Take a BOT out of a night: it plays no more.",
            "pips-tourney withdraw league.db ada --reason 'asked for by its author'",
        ),
        "annul": CommandEntry(
            "director", "Annul a MATCH (the beginning of its id), and its deal in the other seatings.",
            "pips-tourney annul league.db 3f2a --reason 'a power cut'",
        ),
        "replay-match": CommandEntry(
            "director", "Play a MATCH (the beginning of its id) again.",
            "pips-tourney replay-match league.db 3f2a --reason 'a power cut'",
        ),
    },
    "Read": {
        "standings": CommandEntry(
            "reading", "Print the standings of a NIGHT, which may still be going on.",
            "pips-tourney standings league.db --full",
        ),
        "matches": CommandEntry(
            "reading", "List the matches of a NIGHT in the order of play, with places and scores.",
            "pips-tourney matches league.db --bot ada --lost",
        ),
        "replay": CommandEntry(
            "replay", "Step through a match: a record, or one of a night.",
            "pips-tourney replay league.db 3f2a --seat 0",
        ),
        "explain": CommandEntry(
            "reading", "Explain the faults of MATCH (the beginning of its id) in a NIGHT.",
            "pips-tourney explain league.db 3f2a",
        ),
        "analyse": CommandEntry(
            "analyse", "Say what luck gave every bot of a NIGHT, and where each of them loses.",
            "pips-tourney analyse league.db --bot ada",
        ),
        "report": CommandEntry(
            "report", "Write a NIGHT into a folder: its report, a page for each author, a site.",
            "pips-tourney report league.db -o pages",
        ),
        "export": CommandEntry(
            "reading", "Write the standings or results of a NIGHT for other programs.",
            "pips-tourney export league.db --as gradebook -o grades.csv",
        ),
    },
    "Prove": {
        "verify": CommandEntry(
            "belief", "Replay every match of a NIGHT, check its database and what others kept of it.",
            "pips-tourney verify league.db",
        ),
        "audit": CommandEntry(
            "reading", "Was a NIGHT fair? Looks at seats, neighbours, deals, clocks, arenas, records.",
            "pips-tourney audit league.db",
        ),
    },
}  # fmt: skip
BOT: Final[Groups] = {
    "Write": {
        "new": CommandEntry(
            "author", "Begin a bot: its folder, a test, a README.", "pips-bot new my_bot --game serpent"
        ),
        "check": CommandEntry("author", "Is it ready for a league?", "pips-bot check my_bot --league class.toml"),
    },
    "Play": {
        "play": CommandEntry("two_bots", "Play a bot against another.", "pips-bot play my_bot greedy -n 100"),
        "compare": CommandEntry("two_bots", "Is the new version better?", "pips-bot compare my_bot old_bot"),
        "watch": CommandEntry("two_bots", "Watch one match, slowly.", "pips-bot watch my_bot greedy --key"),
        "human": CommandEntry("author", "Take a seat yourself.", "pips-bot human wichita --against greedy"),
        "submit": CommandEntry(
            "submit", "Hand a bot in to a place, from a terminal or a CI job.",
            "pips-bot submit my_bot --to http://192.168.1.5:8080 --token-file token.txt",
        ),
        "join": CommandEntry(
            "author", "Take part in a night on another machine.",
            "pips-bot join 192.168.1.5:7700 my_bot --token-file token.txt",
        ),
    },
    "Look closer": {
        "analyse": CommandEntry(
            "records", "Where does a bot lose, and how much?", "pips-bot analyse kept --bot my_bot"
        ),
        "ask": CommandEntry(
            "ask", "A question of a match in words, and what a bot answers.",
            "pips-bot ask night.db 3f2a my_bot --seat 0 --question 3",
        ),
    },
}  # fmt: skip
CODES: Final = "Exit codes: 0 all is well; 1 something was found; 2 a mistake in what was asked; 130 interrupted."


BOT_HELP: Final = (
    "A bot is named as its folder, its file, the command that starts it (in quotes), or a sample bot's name: "
    "random, cautious, greedy, search."
)


class LazyGroup(Commands):
    """Commands that are listed by group, with their whole first sentence."""

    groups: ClassVar[Groups]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.entries = {name: entry for commands in self.groups.values() for name, entry in commands.items()}

    def invoke(self, ctx: click.Context) -> Any:
        """Run what was asked for; name the extra that it needs and that is missing."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as missing:
            if not (line := how_to_install(missing)):
                raise
            command = f"{ctx.info_name} {ctx.invoked_subcommand or ''}".strip()
            raise Failed(f"{command} needs more than is installed: {line}") from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, with an example and the codes in its help."""
        if cmd_name not in self.commands and cmd_name in self.entries:
            ctx.invoked_subcommand = cmd_name  # for the sentence that it needs an extra
            module = import_module(f"pips_tourney.cli.{self.entries[cmd_name].place}")
            command = getattr(module, cmd_name.replace("-", "_"))
            example = f"Example: {self.entries[cmd_name].example}"
            command.epilog = "\n\n".join(filter(None, [command.epilog, example, CODES]))
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group."""
        for title, commands in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.sentence) for name, entry in commands.items()])


class TourneyCommands(LazyGroup):
    """Commands of organisers."""

    groups = TOURNEY


class BotCommands(LazyGroup):
    """Commands of authors."""

    groups = BOT
