"""The list of commands: each is in one group and has an example that can be typed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress

import click
import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main as bot_main
from pips_tourney.cli.bot_groups import BOT_GROUPS
from pips_tourney.cli.groups import CODES, GROUPS, GroupedCommands
from pips_tourney.cli.tourney import main

COMMANDS = [
    (program, name, example)
    for program, groups in (("pips-tourney", GROUPS), ("pips-bot", BOT_GROUPS))
    for commands in groups.values()
    for name, example in commands.items()
]
MAINS: dict[str, click.Group] = {"pips-tourney": main, "pips-bot": bot_main}


def names_of(program: str) -> list[str]:
    return MAINS[program].list_commands(click.Context(MAINS[program]))


@pytest.mark.parametrize("program", MAINS)
def test_every_command_is_in_one_group(program: str) -> None:
    assert sorted(name for of, name, _ in COMMANDS if of == program) == names_of(program)


@pytest.mark.parametrize(("program", "name", "example"), COMMANDS)
def test_every_command_has_an_example_that_it_understands(program: str, name: str, example: str) -> None:
    first, called, *words = shlex.split(example)
    assert (first, called) == (program, name)
    assert name in names_of(program)
    command = MAINS[program].commands[name]
    with click.Context(command, info_name=name) as context, suppress(click.BadParameter):  # its file is not here
        command.parse_args(context, words)  # raises `UsageError` for what it does not know
    told = " ".join(CliRunner().invoke(MAINS[program], [name, "--help"], terminal_width=200).output.split())
    assert example in told and CODES in told


@pytest.mark.parametrize(("program", "groups"), [("pips-tourney", GROUPS), ("pips-bot", BOT_GROUPS)])
def test_the_list_has_its_groups_and_whole_sentences(program: str, groups: Mapping[str, object]) -> None:
    told = CliRunner().invoke(MAINS[program], ["--help"]).output
    assert [line[:-1] for line in told.splitlines() if line[:-1] in groups] == list(groups)
    assert "..." not in told.split(f"{next(iter(groups))}:")[1]


def test_commands_that_could_not_be_loaded_are_loaded_when_they_are_asked_for_again() -> None:
    group, is_broken = GroupedCommands("group"), True

    def load() -> Iterator[click.Command]:
        yield click.Command("first")
        if is_broken:
            raise ImportError
        yield click.Command("second")

    group.load_others = load
    with pytest.raises(ImportError):
        group.get_command(click.Context(group), "second")
    is_broken = False
    assert group.list_commands(click.Context(group)) == ["first", "second"]
