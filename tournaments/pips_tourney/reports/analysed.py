"""The analysis of a bot, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from shlex import quote
from typing import Any, Final

from pips_referee.printable import plain
from pips_referee.records.replay import INDENT, get_text
from pips_referee.worth import FULL, worth_sha256
from pips_sdk.search import Cost
from pips_tourney.analysis.analyse import Analysis, CostlyDecision, SituationLoss
from pips_tourney.analysis.decided import Decision
from pips_tourney.reports.own_records import SHORT

PERCENT: Final = FULL / 100
LISTED: Final = 10
NO_INTERVAL: Final = "one match gives no interval"
EXPLAINED: Final = (
    "A cost is the part of a win that the answer gave away, against each other seat, with its 95 % interval.",
    "It is judged from what the seat could know, by the play of the sample bots: where they are blind, so is it.",
)


def analysis_lines(found: Analysis, where: Callable[[str], str]) -> Iterator[str]:
    """The complete analysis of a bot at one kind of table.

    `where` gives the arguments of a command that name a match, from the start of its
    id.
    """
    options = {name: value for name, value in found.table.options.named().items() if value is not None}
    named = ", ".join(f"{name} {value}" for name, value in options.items())
    yield f"{found.bot} in {found.table.game.title}, {found.table.seats} seats ({named})"
    yield f"{found.matches} matches, {found.decisions} decisions; {found.looked_at} looked at closely"
    yield ""
    yield "Where it loses, in percent of a win a match, against what the sample bot greedy would have answered:"
    for loss in found.situations[:LISTED]:
        yield f"{INDENT}{situation_line(loss)}"
        if loss.share and loss.examples:
            yield f"{INDENT}{INDENT}{_asked_again(found.bot, loss.examples[0], where)}"
    if len(found.situations) > LISTED:
        yield f"{INDENT}and {len(found.situations) - LISTED} more, in which it loses less"
    yield ""
    if not found.mistakes:
        yield "No single decision is a mistake beyond doubt: give it more --seconds, or more matches."
    else:
        yield "The costliest decisions, each confirmed in fresh worlds by two policies:"
    text = get_text(found.table.game.name)
    for number, mistake in enumerate(found.mistakes, 1):
        decision = mistake.decision
        yield ""
        yield f"{number}. match {decision.match[:SHORT]}, question {decision.number}: {decision.situation}"
        for line in text.view_text(decision.view).splitlines():
            yield f"{INDENT}{plain(line)}"
        yield f"{INDENT}{found.bot}: {text.action_text(decision.action)}"
        yield f"{INDENT}better: {text.action_text(mistake.better)}"
        yield f"{INDENT}{cost_line(mistake)}"
        yield f"{INDENT}{_asked_again(found.bot, decision, where)}"
    yield ""
    yield from EXPLAINED


def _asked_again(bot: str, decision: Decision, where: Callable[[str], str]) -> str:
    """The command that asks the bot the same question again."""
    named = where(decision.match[:SHORT])
    return f"pips-bot ask {named} {quote(bot)} --seat {decision.seat} --question {decision.number}"


def situation_line(loss: SituationLoss) -> str:
    """One kind of situation, with the uncertainty of its loss."""
    seen = f"{loss.situation} ({loss.decisions} decisions, {loss.sampled} weighed)"
    bounds = loss.interval
    if not loss.cost and bounds in {None, (0.0, 0.0)}:
        return f"{seen}: nothing seen"
    share = f", {100 * loss.share:.0f} % of all" if loss.share else ""
    sure = f"{bounds[0] / PERCENT:+z.1f} to {bounds[1] / PERCENT:+z.1f}" if bounds else NO_INTERVAL
    return f"{seen}: {loss.a_match / PERCENT:+z.1f} ({sure}){share}"


def cost_line(mistake: CostlyDecision) -> str:
    """The cost of a mistake, by both policies and with open cards."""
    low, high = mistake.interval
    return (
        f"cost {mistake.cost.mean / PERCENT:.1f} % of a win ({low / PERCENT:.1f} to {high / PERCENT:.1f}); "
        f"by the second policy {_percent(mistake.other_cost)}; as the cards lay {_percent(mistake.hindsight)}"
    )


def _percent(cost: Cost) -> str:
    low, high = cost.interval
    return f"{cost.mean / PERCENT:.1f} ({low / PERCENT:.1f} to {high / PERCENT:.1f})"


def analysis_json(found: Sequence[Analysis]) -> list[dict[str, Any]]:
    """The analyses as JSON: costs and intervals as fractions of a win."""
    return [
        {
            "bot": each.bot,
            "game": each.table.game.name,
            "options": each.table.options.named(),
            "seats": each.table.seats,
            "value_sha256": worth_sha256(each.table.game.name),
            "matches": each.matches,
            "decisions": each.decisions,
            "looked_at": each.looked_at,
            "situations": [
                {
                    "situation": loss.situation,
                    "decisions": loss.decisions,
                    "weighed": loss.sampled,
                    "cost_a_match": loss.a_match / FULL,
                    "interval": loss.interval and [bound / FULL for bound in loss.interval],
                    "share": loss.share,
                    "examples": [
                        {"match": each.match, "seat": each.seat, "question": each.number, "answer": each.action.text}
                        for each in loss.examples
                    ],
                }
                for loss in each.situations
            ],
            "mistakes": [mistake_json(mistake) for mistake in each.mistakes],
        }
        for each in found
    ]


def mistake_json(mistake: CostlyDecision) -> dict[str, Any]:
    """One costly decision; costs and intervals as fractions of a win."""
    decision = mistake.decision
    return {
        "match": decision.match,
        "seat": decision.seat,
        "question": decision.number,
        "situation": decision.situation,
        "answer": decision.action.text,
        "better": mistake.better.text,
        "cost": mistake.cost.mean / FULL,
        "interval": [bound / FULL for bound in mistake.interval],
        "cost_by_second_policy": mistake.other_cost.mean / FULL,
        "interval_by_second_policy": [bound / FULL for bound in mistake.other_cost.interval],
        "cost_as_the_cards_lay": mistake.hindsight.mean / FULL,
        "interval_as_the_cards_lay": [bound / FULL for bound in mistake.hindsight.interval],
    }
