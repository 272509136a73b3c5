"""The commands of both programs, grouped by purpose.

A command is loaded only when it is used. So its entry has the first sentence of its
help, with which a list of commands loads none, and an example.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

import click

from pips_referee.command.interrupted import Commands
from pips_tourney.cli.failure import Failed
from pips_tourney.extras import how_to_install


class CommandEntry(NamedTuple):
    """A command: its module in this package, its first sentence, an example.

    The function has the same name as the command.
    """

    place: str
    sentence: str
    example: str


Groups = Mapping[str, Mapping[str, CommandEntry]]


def _groups(program: str, groups: Mapping[str, Mapping[str, tuple[str, str, str]]]) -> Groups:
    """Commands by group: module, first sentence, and the arguments of its example."""
    return {
        title: {
            name: CommandEntry(place, sentence, f"{program} {name} {words}".strip())
            for name, (place, sentence, words) in commands.items()
        }
        for title, commands in groups.items()
    }


TOURNEY: Final = _groups("pips-tourney", {
    "Prepare": {
        "new": ("nights.league_file", "Write a LEAGUE file to start from.", "league.toml --like class"),
        "check": ("nights.check", "Check all submissions of a LEAGUE file, and this machine.", "class.toml -o letters"),
        "commit": ("nights.belief", "Publish the hash of the secret of LEAGUE's next night, before hand-in closes.",
            "league.toml --close"),
        "invite": ("places.invite", "Print the line with which a PLAYER of LEAGUE joins.", "league.toml ada"),
    },
    "Play": {
        "run": ("nights.run", "Play the night of a LEAGUE file, or what is left of it, and print its standings.",
            "league.toml --web 8080"),
        "serve": ("places.serve", "Open a LEAGUE to its people, or show a NIGHT as pages.",
            "class.toml --roster roster.csv"),
    },
    "Direct": {
        "status": ("nights.director", "Show how far a NIGHT is, who plays it, which bots are out, and all decisions.",
            "league.db"),
        "pause": ("nights.director", "Pause a NIGHT: matches under way are finished, no new ones begin.",
            "league.db --reason 'ten minutes of break'"),
        "resume": ("nights.director", "Let a paused NIGHT go on.", "league.db"),
        "add": ("nights.director", "Add a BOT to a night that has begun.", "league.db bots/late --name late"),
        "withdraw": ("nights.director", "Take a BOT out of a night: it plays no more.",
            "league.db ada --reason 'asked for by its author'"),
        "annul": ("nights.director", "Annul a MATCH (the beginning of its id), and its deal in the other seatings.",
            "league.db 3f2a --reason 'a power cut'"),
        "replay-match": ("nights.director", "Play a MATCH (the beginning of its id) again.",
            "league.db 3f2a --reason 'a power cut'"),
    },
    "Read": {
        "standings": ("nights.reading", "Print the standings of a NIGHT, which may still be going on.",
            "league.db --full"),
        "matches": ("nights.reading", "List the matches of a NIGHT in the order of play, with places and scores.",
            "league.db --bot ada"),
        "replay": ("nights.replay", "Step through a match: a record, or one of a night.", "league.db 3f2a --seat 0"),
        "explain": ("nights.reading", "Explain the faults of MATCH (the beginning of its id) in a NIGHT.",
            "league.db 3f2a"),
        "analyse": ("nights.analyse", "Say what luck gave every bot of a NIGHT, and where each of them loses.",
            "league.db --bot ada"),
        "report": ("nights.report", "Write a NIGHT into a folder: its report, a page for each author, a site.",
            "league.db -o pages"),
        "export": ("nights.export", "Write the standings or results of a NIGHT for other programs.",
            "league.db --as gradebook -o grades.csv"),
    },
    "Design": {
        "balance": ("nights.balance", "Is a GAME fair, and do its decisions matter?", "serpent --seats 2"),
    },
    "Prove": {
        "verify": ("nights.belief", "Replay every match of a NIGHT, check its database and what others kept of it.",
            "league.db"),
        "audit": ("nights.reading", "Was a NIGHT fair? Looks at seats, neighbours, deals, clocks, arenas, records.",
            "league.db"),
    },
})  # fmt: skip
BOT: Final = _groups("pips-bot", {
    "Write": {
        "new": ("bots.author", "Begin a bot: its folder, a test, a README.", "my_bot --game serpent"),
        "new-game": ("bots.author", "Begin a game of your own: its rules, its tests.", "my_game"),
        "workshop": ("bots.workshop", "Write and play bots in a browser.", "--install"),
        "check": ("bots.check", "Is it ready for a league?", "my_bot --league class.toml"),
    },
    "Play": {
        "play": ("bots.two_bots", "Play a bot against another.", "my_bot greedy -n 100"),
        "compare": ("bots.compare", "Is the new version better?", "my_bot old_bot"),
        "watch": ("bots.two_bots", "Watch one match, slowly.", "my_bot greedy --delay 2"),
        "human": ("bots.author", "Take a seat yourself.", "wichita --against greedy"),
        "submit": ("bots.submit", "Hand a bot in to a place, from a terminal or a CI job.",
            "my_bot --to http://192.168.1.5:8080 --token-file token.txt"),
        "join": ("bots.author", "Take part in a night on another machine.",
            "192.168.1.5:7700 my_bot --token-file token.txt"),
    },
    "Look closer": {
        "analyse": ("bots.records", "Where does a bot lose, and how much?", "kept --bot my_bot"),
        "ask": ("bots.ask", "A question of a match in words, and what a bot answers.",
            "night.db 3f2a my_bot --seat 0 --question 3"),
    },
})  # fmt: skip
CODES: Final = (
    "Exit codes: 0 all is well; 1 something was found, or the answer is no; 2 a mistake in what was asked; "
    "130 interrupted."
)
EXIT_CODES: Final = {
    "compare": "Exit codes: 0 better; 1 not better; 3 undecided; 2 a mistake in what was asked; 130 interrupted."
}
"""By command: its own exit codes, if its answer is not just yes or no."""


BOT_HELP: Final = (
    "A bot is named as its folder, its file, the command that starts it (in quotes), or a sample bot's name, "
    "such as random, cautious, greedy or search."
)


class LazyGroup(Commands):
    """Commands listed by group, each with its help text's complete first sentence."""

    groups: ClassVar[Groups]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.entries = {name: entry for commands in self.groups.values() for name, entry in commands.items()}

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if it needs an extra that is missing, name the extra."""
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
        """The command of that name, with an example and the exit codes in its help."""
        if cmd_name not in self.commands and cmd_name in self.entries:
            ctx.invoked_subcommand = cmd_name  # for the message about a missing extra
            module = import_module(f"pips_tourney.cli.{self.entries[cmd_name].place}")
            command = getattr(module, cmd_name.replace("-", "_"))
            example = f"Example: {self.entries[cmd_name].example}"
            command.epilog = "\n\n".join(filter(None, [command.epilog, example, EXIT_CODES.get(cmd_name, CODES)]))
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group."""
        for title, commands in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.sentence) for name, entry in commands.items()])


class TourneyCommands(LazyGroup):
    """Commands of organisers."""

    groups = TOURNEY
    moved: ClassVar[Mapping[str, str]] = {
        "doctor": "`pips-tourney check` ends with what it says of this machine",
        "feedback": "`pips-tourney report` writes the authors' pages too",
        "host": "`pips-tourney serve LEAGUE` plays the night of a league with guests",
        "luck": "`pips-tourney analyse` begins with the luck",
        "reinstate": "write `pips-tourney withdraw ... --undo`",
        "restore": "write `pips-tourney annul ... --undo`",
        "web": "`pips-tourney serve NIGHT` shows its pages",
    }


class BotCommands(LazyGroup):
    """Commands of authors."""

    groups = BOT
    moved: ClassVar[Mapping[str, str]] = {
        "conformance": "write `python -m tests.conformance` in a checkout",
        "llm": "write `python -m pips_sdk.model`",
        "position": "write `pips-bot ask`",
        "replay": "write `pips-tourney replay`",
        "situation": "write `pips-bot ask`",
    }
