"""The commands of `pips-tourney` by what one wants to do, each with an example."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final

import click

from pips_referee.interrupted import Commands
from pips_tourney.cli.failure import Failed
from pips_tourney.extras import how_to_install

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Prepare": {
        "new": "pips-tourney new league.toml --like class",
        "doctor": "pips-tourney doctor league.toml",
        "check": "pips-tourney check class.toml -o letters",
        "commit": "pips-tourney commit league.toml --close",
        "invite": "pips-tourney invite league.toml ada",
    },
    "Play": {
        "run": "pips-tourney run league.toml --web 8080",
        "host": "pips-tourney host league.toml --start-when-all-here",
        "web": "pips-tourney web league.db --port 8080",
        "serve": "pips-tourney serve class.toml --roster roster.csv",
    },
    "Direct": {
        "status": "pips-tourney status league.db",
        "pause": "pips-tourney pause league.db --reason 'ten minutes of break'",
        "resume": "pips-tourney resume league.db",
        "add": "pips-tourney add league.db bots/late --name late",
        "withdraw": "pips-tourney withdraw league.db ada --reason 'asked for by its author'",
        "reinstate": "pips-tourney reinstate league.db ada",
        "annul": "pips-tourney annul league.db 3f2a --reason 'a power cut'",
        "restore": "pips-tourney restore league.db 3f2a",
        "replay-match": "pips-tourney replay-match league.db 3f2a --reason 'a power cut'",
    },
    "Read": {
        "standings": "pips-tourney standings league.db --full",
        "matches": "pips-tourney matches league.db --bot ada --lost",
        "explain": "pips-tourney explain league.db 3f2a",
        "feedback": "pips-tourney feedback league.db -o feedback",
        "analyse": "pips-tourney analyse league.db --bot ada",
        "luck": "pips-tourney luck league.db",
        "report": "pips-tourney report league.db --public -o night.html",
        "export": "pips-tourney export league.db --as gradebook -o grades.csv",
    },
    "Prove": {
        "verify": "pips-tourney verify league.db",
        "audit": "pips-tourney audit league.db",
    },
}
"""By group, its commands with an example of each."""
LAZY: Final[Mapping[str, tuple[str, str]]] = {
    "doctor": ("doctor", "Check what will and will not hold on this machine, for LEAGUE if one is named."),
    "check": ("check", "Check all submissions of a LEAGUE file at once."),
    "commit": ("belief", "Publish the hash of the secret of LEAGUE's next night, before hand-in closes."),
    "invite": ("host", "Print the line with which a PLAYER of LEAGUE joins."),
    "host": ("host", "Play the night of a LEAGUE file with bots that dial in from other machines."),
    "web": ("web", "Serve a NIGHT as pages, and seats to play against the sample bots."),
    "serve": ("serve", "Open a LEAGUE as a place: people hand in from a browser, bots play at once."),
    "status": ("director", "Show how far a NIGHT is, who plays it, which bots are out, and all decisions."),
    "pause": ("director", "Pause a NIGHT: matches under way are finished, no new ones begin."),
    "resume": ("director", "Let a paused NIGHT go on."),
    "add": ("director", "Add a BOT to a night that has begun."),
    "withdraw": ("director", "Take a BOT out of a night: it plays no more."),
    "reinstate": ("director", "Let a BOT play again that was withdrawn or did not start."),
    "annul": ("director", "Annul a MATCH (the beginning of its id), and its deal in the other seatings."),
    "restore": ("director", "Let a MATCH that was annulled count again."),
    "replay-match": ("director", "Play a MATCH (the beginning of its id) again."),
    "feedback": ("feedback", "Write a page and a mail's text for each bot of a NIGHT."),
    "analyse": ("analyse", "Say where a bot of a NIGHT loses: its costliest decisions, and the situations."),
    "luck": ("analyse", "Say what deals, cards and dice gave every bot of a NIGHT."),
    "report": ("web", "Write a NIGHT into one HTML file: all its pages, and replays of some matches."),
    "export": ("director", "Write the standings or results of a NIGHT for other programs."),
    "verify": ("belief", "Replay every match of a NIGHT, check its database and what others kept of it."),
    "audit": ("director", "Was a NIGHT fair? Looks at seats, neighbours, deals, clocks, arenas, records."),
}
"""By command that is loaded when it is named, its module in this package.

Beside it the first sentence of its help, so that a list of commands loads none.
"""
CODES: Final = "Exit codes: 0 all is well; 1 something was found; 2 a mistake in what was asked; 130 interrupted."


class GroupedCommands(Commands):
    """Commands that are listed by group, with their whole first sentence."""

    groups: ClassVar[Mapping[str, Mapping[str, str]]] = GROUPS
    lazy: ClassVar[Mapping[str, tuple[str, str]]] = {}

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
        return sorted({*self.commands, *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self.commands and cmd_name in self.lazy:
            ctx.invoked_subcommand = cmd_name  # for the sentence that it needs an extra
            module = import_module(f"pips_tourney.cli.{self.lazy[cmd_name][0]}")
            self.add_command(getattr(module, cmd_name.replace("-", "_")))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group; commands of no group come last."""
        grouped = {name for commands in self.groups.values() for name in commands}
        sections = {title: [*commands] for title, commands in self.groups.items()}
        sections["Other commands"] = [name for name in self.list_commands(ctx) if name not in grouped]
        for title, names in sections.items():
            if rows := [(name, self._sentence(name)) for name in names]:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _sentence(self, name: str) -> str:
        return self.lazy[name][1] if name in self.lazy else self.commands[name].get_short_help_str(limit=1000)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command; the help of each ends with an example and the exit codes."""
        super().add_command(cmd, name)
        called = name or cmd.name or ""
        example = next((commands[called] for commands in self.groups.values() if called in commands), "")
        if example and CODES not in (cmd.epilog or ""):
            cmd.epilog = "\n\n".join(filter(None, [cmd.epilog, f"Example: {example}", CODES]))


class TourneyCommands(GroupedCommands):
    """Commands of `pips-tourney`, most of them loaded when they are named."""

    lazy = LAZY
