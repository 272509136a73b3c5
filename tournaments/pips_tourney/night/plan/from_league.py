"""A league file's programme, made from its entries, its suite and its bots' files."""

from __future__ import annotations

from dataclasses import replace

from pips_referee.game import get_game
from pips_tourney.league.entries import ClockEntry, GameEntry
from pips_tourney.league.file import LeagueFile, label_of
from pips_tourney.league.league import League
from pips_tourney.league.suites import drawn_deals, read_suite
from pips_tourney.night.plan.programme import METHOD, Anchor, Contest, Entrant, Programme


def make_programme(league: League) -> Programme:
    """Make a league's programme; this reads its suite and its bots' files."""
    league = league if league.contents is not None else league.with_contents()
    file = league.file
    contests = tuple(_contest(entry, label_of(entry, file.games), file) for entry in file.games)
    games = sorted({contest.game for contest in contests})
    entrants = tuple(
        Entrant(bot.name, {game: league.fingerprint(bot, game) for game in games if bot.plays(game)}, bot in file.bots)
        for bot in sorted(league.players(max(contest.seats for contest in contests)), key=lambda bot: bot.name)
    )
    anchor = None if file.anchor is None else Anchor(file.anchor.name, file.anchor.elo)
    clock = ClockEntry(answer_ms=0) if file.debug else file.clock
    decided = (file.max_faults, METHOD, file.rate)
    programme = Programme(league.name, contests, entrants, (), clock.settings(), anchor, *decided)
    count = max(c.form.all_deals(len(programme.players(c)), c.seats, c.deals) for c in contests)
    dealt = drawn_deals(count) if file.suite is None else read_suite(file.suite, league.folder)[:count]
    return replace(programme, deals=dealt)


def _contest(entry: GameEntry, label: str, file: LeagueFile) -> Contest:
    game = get_game(entry.name)
    options = game.options(entry.options)
    seats = entry.seats or game.seats(options)[0]
    deals, form = file.deals_of(entry), file.form_of(entry)
    return Contest(label, game.name, game.rules_version, seats, options.named(), deals, form)
