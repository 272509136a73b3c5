"""The list of commands: each is in one group and has an example that can be typed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress

import click
import pytest
from click.testing import CliRunner

from pips_referee.cli import main as referee
from pips_tourney.cli.bot import main as bot_main
from pips_tourney.cli.groups import BOT, CODES, EXIT_CODES, TOURNEY, CommandEntry, Groups
from pips_tourney.cli.tourney import main
from tests.unmeasured import unmeasured

GROUPS: dict[str, Groups] = {"pips-tourney": TOURNEY, "pips-bot": BOT}
COMMANDS = [
    (program, name, entry)
    for program, groups in GROUPS.items()
    for commands in groups.values()
    for name, entry in commands.items()
]
MAINS: dict[str, click.Group] = {"pips-tourney": main, "pips-bot": bot_main}


def names_of(program: str) -> list[str]:
    return MAINS[program].list_commands(click.Context(MAINS[program]))


@pytest.mark.parametrize("program", MAINS)
def test_every_command_is_in_one_group(program: str) -> None:
    assert sorted(name for of, name, _ in COMMANDS if of == program) == names_of(program)


@pytest.mark.parametrize(("program", "name", "entry"), COMMANDS)
def test_every_command_has_an_example_that_it_understands(program: str, name: str, entry: CommandEntry) -> None:
    first, called, *words = shlex.split(entry.example)
    assert (first, called) == (program, name)
    assert name in names_of(program)
    command = MAINS[program].get_command(click.Context(MAINS[program]), name)
    assert command is not None
    with click.Context(command, info_name=name) as context, suppress(click.BadParameter):  # its file is not here
        command.parse_args(context, words)  # raises `UsageError` for what it does not know
    told = " ".join(CliRunner().invoke(MAINS[program], [name, "--help"], terminal_width=200).output.split())
    assert entry.example in told and EXIT_CODES.get(name, CODES) in told


@pytest.mark.parametrize(("program", "groups"), GROUPS.items())
def test_the_list_has_its_groups_and_whole_sentences(program: str, groups: Mapping[str, object]) -> None:
    told = CliRunner().invoke(MAINS[program], ["--help"]).output
    assert [line[:-1] for line in told.splitlines() if line[:-1] in groups] == list(groups)
    assert "..." not in told.split(f"{next(iter(groups))}:")[1]


@pytest.mark.parametrize(("name", "entry"), [(name, entry) for of, name, entry in COMMANDS if of == "pips-tourney"])
def test_the_list_has_the_first_sentence_of_each_commands_help(name: str, entry: CommandEntry) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None and command.get_short_help_str(limit=1000) == entry.sentence


@pytest.mark.parametrize(
    ("group", "moved"),
    [(group, name) for group in (main, bot_main, referee) for name in group.moved],
)
def test_a_name_that_has_gone_says_what_to_write(group: click.Group, moved: str) -> None:
    told = CliRunner().invoke(group, [moved, "night.db", "--json"])
    assert told.exit_code == 2 and f"There is no command '{moved}': " in told.stderr and "`" in told.stderr
    assert moved not in group.list_commands(click.Context(group))


def test_a_list_of_commands_loads_none_of_them() -> None:
    code = "import sys; from pips_tourney.cli.tourney import main; main(['--help'], standalone_mode=False)"
    code += "; print(*sys.modules)"
    *_, modules = subprocess.run(
        [sys.executable, "-c", code], env=unmeasured(), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    loaded = set(modules.split())
    assert "pips_tourney.cli.groups" in loaded
    assert not {"numpy", "pydantic", "scipy", "pips_tourney.cli.nights.director"} & loaded
