"""`pips-bot analyse`: what saved matches teach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from shlex import quote
from typing import Final

import click

from pips_referee.command.number import Number
from pips_referee.records.record import Header
from pips_sdk.samples import sample_files
from pips_tourney.analysis.analyse import SECONDS, Analysis
from pips_tourney.analysis.analyse import analyse as look
from pips_tourney.analysis.as_tests import mistake_tests, mistakes_file
from pips_tourney.analysis.chosen import NothingChosen, records_in
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import PythonFile
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import AS_JSON, told, write_json
from pips_tourney.errors import TourneyError
from pips_tourney.files import check_file, write_file
from pips_tourney.reports.analysed import analysis_json, analysis_lines

SHORT: Final = 12
FOR_SECONDS = click.option(
    "--seconds", type=Number(1, 86_400), default=SECONDS, show_default=True, help="CPU time of all rollouts."
)
TESTS_HINT: Final = "name another file"


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORD...")
@click.option("--bot", help="The bot to analyse; by default the only one that is not a sample.")
@FOR_SECONDS
@AS_JSON
@click.option("--tests", type=click.Path(path_type=Path), help="Write its mistakes as tests: a file beside the bot.")
def analyse(files: tuple[Path, ...], bot: str | None, seconds: float, *, as_json: bool, tests: Path | None) -> None:
    """Say where a bot loses in matches that were kept: records, or folders of them.

    `pips-bot play ... --save FOLDER` keeps them. For a night: pips-tourney analyse.
    """
    with told():
        beside = None if tests is None else _bot_beside(tests)
        try:
            found = records_in(files)
        except NothingChosen:
            _say_how_to_keep(files)
            raise
        name = bot or _whose([record.header for _, record in found], beside)
        places = {record.header.match_id[:SHORT]: quote(str(place)) for place, record in found}
        analyses = look((record for _, record in found), name, seconds)
        if as_json:
            write_json(analysis_json(analyses))
        else:
            say_analyses(analyses, name, lambda match: f"{places[match]} {match}")
        if tests is not None and beside is not None:
            for line in _written_tests(analyses, beside, tests):
                click.echo(line, err=as_json)


def _whose(headers: Sequence[Header], beside: PythonFile | None) -> str:
    """The bot beside the tests, or the only one that is not a sample bot of its game.

    Raises `Failed` if several bots remain.
    """
    names = dict.fromkeys(name for header in headers for name in header.names)
    own = [name for name in names if name not in sample_files(headers[0].game.name)] or list(names)
    if beside is not None:
        own = [beside.name] if beside.name in names else []
    if len(own) != 1:
        raise Failed(f"whose decisions? Name one with --bot: {', '.join(names)}")
    return own[0]


def _bot_beside(tests: Path) -> PythonFile:
    """The bot in the folder of its tests.

    Raises `Failed`, and the errors of `find_bot`.
    """
    check_file(tests, TESTS_HINT)
    if tests.exists():
        raise Failed(f"{tests} is there already: {TESTS_HINT}, so that the older mistakes stay tests")
    bot = find_bot(str(tests.parent))
    if not isinstance(bot, PythonFile):
        raise Failed(f"{tests.parent} has no bot in Python, so {tests.name} could not ask it")
    if not tests.name.startswith("test_") or tests.suffix != ".py":
        raise Failed(f"pytest does not find {tests.name}: name it test_mistakes.py")
    return bot


def _written_tests(analyses: Sequence[Analysis], bot: PythonFile, tests: Path) -> Iterator[str]:
    """Write the mistakes of the first analysis that has any; say how many there are."""
    each = max(analyses, key=lambda found: len(found.mistakes))
    game = each.table.game.name
    made = bot.bot_class(game)
    written = mistake_tests(each, made, Random(0))
    if not written:
        yield f"\nNo tests: given only the position as text, the bot makes none of these {len(each.mistakes)} mistakes."
        return
    write_file(tests, [mistakes_file(written, made, bot.path.stem, game)], TESTS_HINT)
    yield f"\n{len(written)} of {len(each.mistakes)} mistakes are tests now: pytest {quote(str(tests))}"


def _say_how_to_keep(files: Sequence[Path]) -> None:
    """Raise `Failed` with the right commands if a bot was named instead of a record."""
    with suppress(TourneyError):
        bot, word = find_bot(str(files[0])), quote(str(files[0]))
        raise Failed(
            f"{word} is a bot, and no record of its matches. These play some, and say where it loses:\n"
            f"  pips-bot play {word} greedy --save kept\n"
            f"  pips-bot analyse kept --bot {quote(bot.name)}"
        )


def say_analyses(found: Sequence[Analysis], bot: str, where: Callable[[str], str]) -> None:
    """Print analyses; `where` returns a command's arguments for a match."""
    if not found:
        raise Failed(f"there is no decision of {bot} to look at: it played no match here, or never had a choice")
    for number, each in enumerate(found):
        for line in (["", ""] if number else []) + list(analysis_lines(each, where)):
            click.echo(line)
