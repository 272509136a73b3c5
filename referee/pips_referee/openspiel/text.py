"""OpenSpiel's own texts for its games."""

from __future__ import annotations

from pips_referee.openspiel.values import SpielChance, SpielMove, SpielMoved, SpielTold, SpielView
from pips_referee.printable import plain_block


def view_text(view: SpielView) -> str:
    """The seat's knowledge, and whether it is asked."""
    asked = f"Your moves: {', '.join(view.moves)}" if view.kind else "You are not asked."
    return plain_block(f"You are seat {view.seat}.\n{view.known}\n{asked}")


def action_text(action: SpielMove) -> str:
    return action.move


def event_text(event: SpielMoved | SpielChance | SpielTold) -> str:
    """The seat that moved, the outcome of luck, or what a seat learns."""
    if isinstance(event, SpielTold):
        return f"seat {event.seat} learns: {plain_block(event.text).strip()}"
    return f"luck: {event.outcome}" if isinstance(event, SpielChance) else f"seat {event.seat}: {event.move}"


def situation(view: SpielView) -> str:
    """The first line of the seat's knowledge."""
    return plain_block(view.known).strip().partition("\n")[0]
