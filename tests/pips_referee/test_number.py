"""No option takes a number that one cannot reckon with."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from pips_referee.cli import main as referee
from pips_referee.command.number import Number
from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney

WORDS = ("compare", "greedy", "random", "--game", "serpent", "--in-process")


@pytest.mark.parametrize("group", [referee, bot, tourney])
def test_every_number_of_a_command_is_finite(group: click.Group) -> None:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        for option in command.params if command is not None else ():
            if isinstance(option.type, click.types.FloatParamType):
                assert isinstance(option.type, Number), (name, option.name)


@pytest.mark.parametrize("option", ["--elo0", "--elo1"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e309"])
def test_compare_refuses_what_is_no_number(option: str, value: str) -> None:
    by = ["--by", "points"] if "margin" in option else []
    ended = CliRunner().invoke(bot, [*WORDS, *by, option, value])
    assert (ended.exit_code, "Traceback" in ended.output) == (2, False)
    assert option in ended.stderr


@pytest.mark.parametrize("words", [("--elo0", "-1e9"), ("--elo1", "1e300")])
def test_compare_refuses_limits_out_of_all_bounds(words: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(bot, [*WORDS, *words])
    assert (ended.exit_code, ended.exception.__class__) == (2, SystemExit)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--answer-ms", "9" * 20), ("--max-deals", "9" * 20), ("--seed", "a\udcff"), ("--seed", "a\nb")],
)
def test_what_no_match_can_take_is_refused(option: str, value: str) -> None:
    ended = CliRunner().invoke(bot, [*WORDS, option, value])
    assert (ended.exit_code, ended.exception.__class__) == (2, SystemExit)
    assert option in ended.stderr


def test_help_names_bounds_that_there_are() -> None:
    free, least = (click.Option(["--x"], type=kind, help="A number.") for kind in (Number(), Number(0)))
    context = click.Context(click.Command("c"))
    assert [(option.get_help_record(context) or ("", ""))[1] for option in (free, least)] == [
        "A number.",
        "A number.  [x>=0]",
    ]
