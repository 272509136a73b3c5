"""Every command that is interrupted ends with a sentence and 130."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from pips_referee.cli import main as referee
from pips_referee.command.interrupted import SENTENCE, Commands
from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney


@pytest.mark.parametrize("group", [referee, bot, tourney])
def test_all_commands_are_such(group: click.Group, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    assert isinstance(group, Commands)
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        monkeypatch.setattr(command, "invoke", interrupt)
        words = [word for parameter in command.params if parameter.required for word in _given(parameter)]
        ended = CliRunner().invoke(group, [name, *words])
        assert (ended.exit_code, ended.stderr.strip()) == (130, SENTENCE), (name, ended.output)


def _given(parameter: click.Parameter) -> list[str]:
    """Something that it takes."""
    value = str(parameter.type.choices[0]) if isinstance(parameter.type, click.Choice) else __file__
    value = "1" if isinstance(parameter.type, click.IntRange) else value
    return [parameter.opts[0], value] if isinstance(parameter, click.Option) else [value]
