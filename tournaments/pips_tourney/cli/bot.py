"""`pips-bot`: begin a bot, check it, play it, watch it, play against it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from pips_referee.address import read_address
from pips_referee.number import Number
from pips_referee.printable import plain_block
from pips_tourney.bots.tuning import tune
from pips_tourney.cli.analyse import AS_JSON, SECONDS, analyse_records, say_of_records
from pips_tourney.cli.bot_groups import BOT_HELP, BotCommands
from pips_tourney.cli.completion import complete_found_bot, complete_match
from pips_tourney.cli.counting import counted
from pips_tourney.cli.llm import llm
from pips_tourney.cli.submit import submit
from pips_tourney.cli.table_options import ANSWER_MS, GAMES, MATCHES, SEED, options_in, table_options, wanted_of
from pips_tourney.cli.terminal import FILE, told, write_json
from pips_tourney.cli.words import position, situation
from pips_tourney.system import is_linux

ELO: Final = Number(-1000, 1000)
VERDICTS: Final = {"accepted": 0, "rejected": 1}
"""The exit codes of a comparison; `UNDECIDED` where it has no verdict."""
UNDECIDED: Final = 3
INTERRUPTED: Final = 130
"""The exit code after a signal, as shells have it."""


@click.group(cls=BotCommands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=BOT_HELP)
@click.version_option(package_name="pips-tourney")
def main() -> None:
    """For authors of bots: begin a bot, check it, watch it, play it or against it."""
    tune()


@main.command(short_help="Begin a bot: its folder, a test, a README.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--game", type=GAMES, required=True, help="The game it plays.")
@click.option("--language", default="python", show_default=True, help="The language it is written in.")
def new(folder: Path, game: str, language: str) -> None:
    """Make a bot's FOLDER that runs as it is: the bot, a test for it, a README."""
    from pips_tourney.workshop.new_bot import build_command, languages, new_bot, what_is_missing

    if language not in languages():
        raise click.BadParameter(f"there are {', '.join(languages())}, but no {language}", param_hint="--language")
    with told():
        for file in new_bot(folder, game, language):
            click.echo(f"wrote {file}")
    if missing := what_is_missing(language, folder):
        click.echo(f"\n{missing}")
    if build := build_command(language):
        click.echo(f"\nBuild it:  (cd {shlex.quote(str(folder))} && {build})")
    click.echo(f"\nPlay it:   pips-bot play {shlex.quote(str(folder))} greedy\nChange it, and play again.")


@main.command(short_help="Is it ready for a league?")
@click.argument("bot", shell_complete=complete_found_bot)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--in-process", is_flag=True, help="Without processes and clock: all that can be checked without Linux.")
@click.option("--answer-ms", type=ANSWER_MS, default=1000, show_default=True, help="Time for an answer.")
@click.option("--game", "wanted", type=GAMES, multiple=True, help="It must play this game. May be given several times.")
@click.option("--league", type=FILE, help="Check as this league file's night would: its games, clock and sandbox.")
def check(
    bot: str, as_json: bool, in_process: bool, answer_ms: int, wanted: tuple[str, ...], league: Path | None
) -> None:
    """Check BOT as a league does when it enters.

    It is started, and plays fixed deals of every game it says it plays. With `--league`
    these are the games of that file, with its options.

    Ends with 0 when a league would take it, with 1 when something must be fixed.
    """
    from pips_tourney.workshop.check import check as check_bot

    if league is not None and (in_process or wanted):
        raise click.UsageError("--league says how and what to play: leave --in-process and --game out")
    with told():
        report: Any
        if league is not None and not is_linux():
            report = check_bot(bot, in_process=_here(asked=False), answer_ms=answer_ms, wanted=_games_of(league))
        elif league is not None:
            from pips_tourney.workshop.class_check import check_in_league  # reads league files

            report = check_in_league(bot, league, by_its_author=True)
        else:
            report = check_bot(bot, in_process=_here(in_process), answer_ms=answer_ms, wanted=wanted)
    if as_json:
        write_json(report.as_json())
    else:
        for line in report.lines():
            click.echo(line)
    sys.exit(not report.ok)


@main.command(short_help="Play a bot against another.", epilog=BOT_HELP)
@click.argument("bot", shell_complete=complete_found_bot)
@click.argument("other", shell_complete=complete_found_bot)
@click.option("-n", "--matches", type=MATCHES, default=200, show_default=True, help="How many matches.")
@table_options
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), help="Keep the matches' records here.")
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), help="Keep here what the bots print.")
@AS_JSON
@click.option("--analyse", "analysed", is_flag=True, help="Say then where BOT loses, as `pips-bot analyse` does.")
def play(  # noqa: PLR0913 - one an option
    bot: str,
    other: str,
    matches: int,
    *,
    in_process: bool,
    as_json: bool,
    save: Path | None,
    logs: Path | None,
    analysed: bool,
    **table: Any,
) -> None:
    """Play BOT against OTHER: every deal from every seat.

    Prints the result, and how sure it is. Seats that two bots leave free are taken by
    the game's sample bot `greedy`. --analyse keeps the records in the folder of --save,
    or in one that it names.
    """
    from pips_tourney.bots.find import find_bot
    from pips_tourney.workshop.duel import plan_duel
    from pips_tourney.workshop.play import headline, result_json, result_lines, save_to
    from pips_tourney.workshop.play import play as play_duel

    in_process = _here(in_process)
    if logs is not None and in_process:
        raise click.UsageError("in this process everything is printed at once: leave --logs out")
    if as_json and analysed:
        raise click.UsageError("--json is the result alone: leave --analyse out, and use --save")
    with told():
        one, two = find_bot(bot), find_bot(other)
        duel = plan_duel(one, two, wanted_of(matches, **table))
        click.echo(headline(duel), err=as_json)
        for hint in (*one.hints(), *two.hints()):
            click.echo(plain_block(hint), err=True)
        save = Path(f"analysed-{duel.seed}") if analysed and save is None else save
        keep, kept = None if save is None else save_to(save), []
        with counted(duel.matches) as advance:

            def on_record(fixture: Any, record: bytes) -> None:
                if keep is not None:
                    kept.append(keep(fixture, record))
                advance()

            sheet = play_duel(duel, on_record, in_process=in_process, logs=logs)
    if as_json:
        write_json(result_json(sheet))
        return
    for line in result_lines(sheet):
        click.echo(line)
    if analysed:
        click.echo(f"\nThe records are in {save}. Looking for what its decisions cost:\n")
        say_of_records(kept, next(iter(duel.bots)), SECONDS)


@main.command(short_help="Watch one match, slowly.", epilog=BOT_HELP)
@click.argument("bot", shell_complete=complete_found_bot)
@click.argument("other", shell_complete=complete_found_bot)
@table_options
@click.option("--delay", type=Number(0, 3600), default=1.0, show_default=True, help="Seconds between two steps.")
@click.option("--key", is_flag=True, help="Wait for a key instead: q ends, a shows all the rest.")
def watch(bot: str, other: str, in_process: bool, delay: float, key: bool, **table: Any) -> None:
    """Watch one match of BOT against OTHER, slowly, with all hands open."""
    from time import sleep

    from pips_referee.record import read_record
    from pips_referee.replay import replay_pages
    from pips_tourney.bots.find import find_bot
    from pips_tourney.workshop.duel import plan_duel
    from pips_tourney.workshop.watch import has_keys, on_key, play_listening, show

    def wait() -> bool:
        sleep(delay)
        return True

    if key and not has_keys():
        raise click.BadParameter("there is no terminal to press a key on: leave it out", param_hint="--key")
    with told():
        duel = plan_duel(find_bot(bot), find_bot(other), wanted_of(1, **table))
        record, printed = play_listening(duel, in_process=_here(in_process))
    beside = {asked: lines for asked, lines in printed.items() if asked is not None}
    show(replay_pages(read_record(record), printed=beside), on_key() if key else wait)
    for line in printed.get(None, ()):
        click.echo(plain_block(line))
    click.echo(f"To watch it again: --seed {duel.seed}")


@main.command(short_help="Step through a match that was played.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("match", required=False, shell_complete=complete_match)
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat saw.")
@click.option("--all", "at_once", is_flag=True, help="Show all of it without waiting for keys.")
def replay(file: Path, match: str | None, seat: int | None, at_once: bool) -> None:
    """Step through a match: a record, or one of a night.

    FILE is the record, or a night's database with MATCH (the beginning of its id).

    Any key shows the next step, q ends, a shows all the rest.
    """
    from pips_referee.replay import replay_pages
    from pips_tourney.workshop.watch import has_keys, on_key, record_in, show

    with told():
        record = record_in(file, match)
    if seat is not None and seat >= len(record.header.names):
        raise click.BadParameter(f"the match has seats 0 to {len(record.header.names) - 1}", param_hint="--seat")
    show(replay_pages(record, seat), on_key() if has_keys() and not at_once else lambda: True)


@main.command(short_help="Take a seat yourself.", epilog=BOT_HELP)
@click.argument("game", type=GAMES)
@click.option(
    "--against",
    default="greedy",
    show_default=True,
    shell_complete=complete_found_bot,
    help="The bot in the other seats.",
)
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="Where you sit.")
@click.option("--seats", type=click.IntRange(2), help="Seats at the table; by default the game's fewest.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--seed", metavar="WORD", type=SEED, help="Play the deal of this word again.")
def human(game: str, against: str, seat: int, seats: int | None, options: tuple[str, ...], seed: str | None) -> None:
    """Take a seat in a match of GAME yourself, in this terminal.

    ? shows the rules, q leaves the table.
    """
    import secrets

    from pips_tourney.bots.find import find_bot
    from pips_tourney.workshop.duel import game_named, options_of, seats_of
    from pips_tourney.workshop.human import Terminal, deal_of, play_human

    with told():
        rules = game_named(game)
        chosen = options_of(rules, options_in(options))
        size = seats_of(rules, chosen, seats)
        others = [find_bot(against).bot_class(rules.name)] * (size - 1)
    if seat >= size:
        raise click.BadParameter(f"the table has seats 0 to {size - 1}", param_hint="--seat")
    seed = seed if seed is not None else secrets.token_hex(4)
    terminal = Terminal(click.echo, _read_line, click.echo_via_pager)
    if play_human(rules, others, seat, deal_of(seed), chosen, terminal) is None:
        click.echo("You left the table.")
    click.echo(f"The same deal again: --seed {seed}")


def _read_line(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None


@main.command(short_help="Take part in a night on another machine.", epilog=BOT_HELP)
@click.argument("address", metavar="HOST:PORT")
@click.argument("bot", shell_complete=complete_found_bot)
@click.option("--token-file", type=click.Path(path_type=Path), help="Reads the token from a file; - is standard input.")
@click.option("--token", help="The token itself. Other users of this machine can see it: use the file or PIPS_TOKEN.")
def join(address: str, bot: str, token_file: Path | None, token: str | None) -> None:
    """Play with BOT, on this machine, in the night that is hosted at HOST:PORT.

    Ends when the night is over. The token of your invite comes from the variable
    PIPS_TOKEN or from a file. It is yours alone: whoever has it plays in your place.
    """
    from pips_tourney.bots.find import find_bot
    from pips_tourney.remote.invites import TOKEN_SEEN, given_token
    from pips_tourney.remote.join import join as take_part

    with told():
        ticket = given_token(token, token_file)
        if token is not None:
            click.echo(TOKEN_SEEN, err=True)
        over = take_part(str(read_address(address) or address), ticket, find_bot(bot), click.echo)
    sys.exit(0 if over else INTERRUPTED)


@main.command(short_help="Is the new version better?", epilog=BOT_HELP)
@click.argument("new_bot", metavar="NEW", shell_complete=complete_found_bot)
@click.argument("old_bot", metavar="OLD", shell_complete=complete_found_bot)
@table_options
@click.option("--by", type=click.Choice(["results", "points"]), default="results", help="Who wins, or by how much.")
@click.option("--elo0", type=ELO, show_default="0", help="NEW is no better than OLD by so much ...")
@click.option("--elo1", type=ELO, show_default="10", help="... or it is better by so much.")
@click.option("--margin0", type=Number(), show_default="0", help="By points: NEW leads by no more than this ...")
@click.option("--margin1", type=Number(), show_default="about 10 Elo", help="... or by so much.")
@click.option("--alpha", type=Number(), default=0.05, show_default=True, help="The chance to accept by mistake.")
@click.option("--beta", type=Number(), default=0.05, show_default=True, help="The chance to reject by mistake.")
@click.option("--max-deals", type=MATCHES, default=2000, show_default=True, help="Then it is not decided.")
@AS_JSON
def compare(new_bot: str, old_bot: str, in_process: bool, max_deals: int, as_json: bool, **more: Any) -> None:
    """Is NEW better than OLD?

    Plays until a sequential test has decided: accepted, rejected or not decided.

    Ends with 0 if NEW is better, with 1 if it is worse or alike, with 3 if it is not
    decided.
    """
    from pips_tourney.bots.find import find_bot
    from pips_tourney.workshop.compare import ComparisonLimits, state_text, verdict_json, verdict_lines
    from pips_tourney.workshop.compare import compare as compare_bots
    from pips_tourney.workshop.duel import plan_duel
    from pips_tourney.workshop.play import headline

    limits = ComparisonLimits(**{name: more.pop(name) for name in ComparisonLimits.__slots__})
    with told():
        with _usage():
            limits.check()
        duel = plan_duel(find_bot(new_bot), find_bot(old_bot), wanted_of(None, max_deals, **more))
        with _usage():
            test = limits.test(duel.game)
        click.echo(headline(duel, at_most=True), err=as_json)
        state, sheet = compare_bots(
            duel, test, lambda so_far: click.echo(state_text(so_far), err=as_json), in_process=_here(in_process)
        )
    if as_json:
        write_json(verdict_json(state, test, sheet))
    else:
        for line in verdict_lines(state, test, sheet):
            click.echo(line)
    sys.exit(VERDICTS.get(state.verdict, UNDECIDED))


for command in (position, situation, analyse_records, llm, submit):
    main.add_command(command)


def _games_of(league: Path) -> tuple[str, ...]:
    from pips_tourney.league.read import read_league

    return tuple(dict.fromkeys(game.name for game in read_league(league).file.games))


def _here(asked: bool) -> bool:
    """Whether bots play in this process; says so where they were not asked to."""
    from pips_tourney.workshop.in_process import is_here

    return is_here(asked=asked, say=partial(click.echo, err=True))


@contextmanager
def _usage() -> Iterator[None]:
    """Options that make no sense end the command with its usage and the sentence."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None
