"""The list of commands: each is in one group and has an example that can be typed."""

from __future__ import annotations

import shlex

import click
import pytest
from click.testing import CliRunner

from pips_tourney.cli.groups import CODES, GROUPS
from pips_tourney.cli.tourney import main

EXAMPLES = {name: example for commands in GROUPS.values() for name, example in commands.items()}


def test_every_command_is_in_one_group() -> None:
    assert sorted(name for commands in GROUPS.values() for name in commands) == sorted(main.commands)


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_an_example_that_it_understands(name: str) -> None:
    program, called, *words = shlex.split(EXAMPLES[name])
    assert (program, called) == ("pips-tourney", name)
    with click.Context(main.commands[name], info_name=name) as context:
        main.commands[name].parse_args(context, words)  # raises `UsageError` for what it does not know
    told = CliRunner().invoke(main, [name, "--help"], terminal_width=200).output
    assert EXAMPLES[name] in told and CODES in told


def test_the_list_has_its_groups_and_whole_sentences() -> None:
    told = CliRunner().invoke(main, ["--help"]).output
    assert [line[:-1] for line in told.splitlines() if line[:-1] in GROUPS] == list(GROUPS)
    assert "..." not in told.split("Prepare:")[1]
