"""The result of a duel, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any, Final

from pips_referee.game import AnyGame
from pips_referee.match import FaultKind
from pips_tourney.bots.found import FoundBot, Sample
from pips_tourney.ratings.table import Difference
from pips_tourney.workshop.duels.duel import Duel, Scoresheet

DIFFERENCE: Final = ("elo", "low", "high", "better", "bound", "note")


def headline(duel: Duel) -> str:
    """The headline of a duel."""
    one, other = duel.names
    deals = f"{count_of(len(duel.programme.deals), 'deal')}, each from every seat"
    return f"{one} against {other}{table_text(duel)}; {duel.matches} matches = {deals}; --seed {duel.seed}"


def table_text(duel: Duel) -> str:
    """The opponents at a duel's tables, and the number of deals."""
    fillers = f", with {', '.join(list(duel.bots)[2 : 2 + duel.fillers])}" if duel.fillers else ""
    return f"{fillers}: {duel.game.title}, {duel.contest.seats} seats{options_text(duel.game, duel.contest.options)}"


def options_text(game: AnyGame, options: Mapping[str, object]) -> str:
    """The options that differ from the defaults."""
    usual = game.options()
    return "".join(f", {name} {value}" for name, value in options.items() if getattr(usual, name) != value)


def result_lines(sheet: Scoresheet) -> Iterator[str]:
    """The result, as lines for a reader."""
    duel, difference = sheet.duel, sheet.difference()
    one, other = duel.names
    if sheet.played < duel.matches:
        yield f"Stopped after {sheet.played} of {duel.matches} matches."
    if difference is None:
        yield "No deal was played from every seat yet, so there is no result."
    else:
        above, level, below = sheet.direct()
        won = "was placed above it" if duel.fillers else "won"
        lost = "below" if duel.fillers else "lost"
        share = (above + level / 2) / (above + level + below)
        yield f"{one} {won} {above}, drew {level}, {lost} {below}: {100 * share:.1f} % against {other}"
        yield difference_text(difference)
    if clock := _slowest(sheet):
        yield clock
    yield from fault_lines(sheet)


def result_json(sheet: Scoresheet) -> dict[str, Any]:
    """The result for a program."""
    duel, difference = sheet.duel, sheet.difference()
    won, drawn, lost = sheet.direct()
    told = {} if difference is None else {name: getattr(difference, name) for name in DIFFERENCE}
    return about_json(sheet) | {"won": won, "drawn": drawn, "lost": lost} | told | {
        "matches": duel.matches, "complete_deals": len(sheet.complete()) // duel.contest.seats,
        "answer_ms": duel.programme.clock["answer_ms"], "slowest_us": dict(sheet.slowest_us),
    }  # fmt: skip


def about_json(sheet: Scoresheet) -> dict[str, Any]:
    """The game, the bots, and their faults."""
    duel = sheet.duel
    faults: dict[str, dict[str, int]] = {}
    for (bot, kind), count in sheet.faults.items():
        faults.setdefault(bot, {})[kind] = count
    return {
        "bots": list(duel.names), "with": list(duel.bots)[2:], "game": duel.game.name, "seats": duel.contest.seats,
        "options": dict(duel.contest.options), "seed": duel.seed, "played": sheet.played,
        "faults": faults, "interrupted": sheet.was_interrupted,
    }  # fmt: skip


def _slowest(sheet: Scoresheet) -> str:
    """The longest answers of the two bots; "" if there was no clock."""
    limit = sheet.duel.programme.clock["answer_ms"]
    times = [f"{bot} {sheet.slowest_us[bot] / 1000:.0f}" for bot in sheet.duel.names if sheet.slowest_us[bot]]
    return f"slowest answer: {', '.join(times)} of {limit} ms" if times else ""


def difference_text(difference: Difference) -> str:
    """How much stronger the first bot is, and with what certainty."""
    a, b, elo, low, high = difference.a, difference.b, difference.elo, difference.low, difference.high
    if difference.bound:
        won, limit = ("won", low) if difference.bound == ">" else ("lost", -(high or 0))
        more = "stronger" if won == "won" else "weaker"
        if limit is None or limit <= 0:
            return f"{a} {won} everything, but {count_of(difference.deals, 'deal')} can hardly tell: play more"
        return f"{a} is at least {limit:.0f} Elo {more} than {b} (95 %), for it {won} everything"
    if elo is None:
        return f"How far {a} and {b} are apart is not known: {difference.note}"
    apart = round(abs(elo))
    told = f"{a} is {apart} Elo {'weaker' if elo < 0 else 'stronger'} than {b}" if apart else f"{a} is as strong as {b}"
    few = f"{count_of(difference.deals, 'deal')} can hardly tell"
    if (low is None or high is None) and not apart:
        return f"{few} {a} and {b} apart: play more"
    if low is None or high is None:
        return f"{a} is {'ahead of' if elo > 0 else 'behind'} {b}, but {few}: play more"
    sure = (
        "" if difference.better is None else f"; {a} is the stronger one with probability {_percent(difference.better)}"
    )
    return f"{told}, 95 % interval {low:+z.0f} to {high:+z.0f}{sure}"


def _percent(probability: float) -> str:
    if probability > 0.999:
        return "> 99.9 %"
    return "< 0.1 %" if probability < 0.001 else f"{100 * probability:.1f} %"


def fault_lines(sheet: Scoresheet) -> Iterator[str]:
    """The faults of each bot, and the details of its first one."""
    for bot in sheet.duel.bots:
        kinds = {kind: count for (name, kind), count in sheet.faults.items() if name == bot}
        if not kinds:
            continue
        listed = ", ".join(f"{count} by {kind}" for kind, count in sorted(kinds.items()))
        yield ""
        yield f"{bot} lost {count_of(sum(kinds.values()), 'match', 'matches')} by a fault ({listed}). The first one:"
        yield from sheet.problems[bot].lines()
        if FaultKind.TIMEOUT.value in kinds:
            yield _busy(sheet.duel.bots[bot])
        if bot == sheet.has_to_stop():
            yield f"{bot} hardly does anything else, so the rest was not played."


def _busy(bot: FoundBot) -> str:
    """Why a bot may have been late.

    For a bot that can be checked: the command that would show it.
    """
    why = "A process has many matches under way, and may have been busy with a question of another one"
    if isinstance(bot, Sample) or not bot.word:
        return f"{why}."
    return f"{why}: `pips-bot check {quote(bot.word)}` plays them one by one."


def count_of(number: int, one: str, many: str = "") -> str:
    """A number of things, such as `1 deal` or `2 matches`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
