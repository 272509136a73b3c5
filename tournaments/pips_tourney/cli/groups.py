"""The commands of `pips-tourney` by what one wants to do, each with an example."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
CODES: Final = "Exit codes: 0 all is well; 1 something was found; 2 a mistake in what was asked; 130 interrupted."


class GroupedCommands(Commands):
    """Commands that are listed by group, with their whole first sentence."""

    groups: ClassVar[Mapping[str, Mapping[str, str]]] = GROUPS
    load_others: Callable[[], Iterable[click.Command]] = tuple
    """Loads the commands that are not here yet, when one of them is asked for."""

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
        self._add_others()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self.commands:
            self._add_others()
        return super().get_command(ctx, cmd_name)

    def _add_others(self) -> None:
        for command in self.load_others():
            self.add_command(command)
        self.load_others = tuple  # after them: if one cannot be loaded, the rest are not forgotten

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group; commands of no group come last."""
        grouped = {name for commands in self.groups.values() for name in commands}
        sections = {title: [*commands] for title, commands in self.groups.items()}
        sections["Other commands"] = [name for name in self.list_commands(ctx) if name not in grouped]
        for title, names in sections.items():
            found = [(name, self.commands[name]) for name in names if name in self.commands]
            rows = [(name, command.get_short_help_str(limit=1000)) for name, command in found if not command.hidden]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command; the help of each ends with an example and the exit codes."""
        super().add_command(cmd, name)
        called = name or cmd.name or ""
        example = next((commands[called] for commands in self.groups.values() if called in commands), "")
        if example and CODES not in (cmd.epilog or ""):
            cmd.epilog = "\n\n".join(filter(None, [cmd.epilog, f"Example: {example}", CODES]))
