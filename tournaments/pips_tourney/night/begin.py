"""Begin a night: programme and secret enter the log; name what has changed since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pips_tourney.night.log.commitment import Pledge
from pips_tourney.night.log.kinds import BEACON, BEGUN, BROKEN, COMMITTED, HANDED_IN, MODELS, REFUSED, UNFENCED
from pips_tourney.night.log.store import Store
from pips_tourney.night.night import Night, nights
from pips_tourney.night.plan.programme import Programme
from pips_tourney.secret import Secret


def begin(store: Store, programme: Programme, secret: Secret, pledge: Pledge | None = None) -> Night:
    """Store the secret and the programme, unless they are there.

    Nothing may be played before this. What was published beforehand, with its beacon,
    comes before all else.
    """
    from pips_referee.worth import worth_sha256  # who reads a night does not need it

    begun = store.log(BEGUN)
    entries: list[tuple[str, dict[str, Any]]] = []
    if not begun:
        entries += [] if pledge is None else [(COMMITTED, pledge.commitment.model_dump())]
        entries += [(BEACON, {"text": secret.beacon})] if secret.beacon else []
    if not begun or nights(store)[-1].digest != programme.digest:
        games = sorted({contest.game for contest in programme.contests})
        values = {game: worth_sha256(game) for game in games}
        dumped = {"programme": programme.dump(), "secret_commitment": secret.commitment, "values": values}
        entries.append((BEGUN, dumped))
    store.keep_secret(secret, entries)
    return Night(store, programme, secret)


def is_untouched(store: Store) -> bool:
    """Whether nothing was played or decided yet, as when bots did not start.

    Another programme may then take its place.
    """
    harmless = {COMMITTED, BEACON, BEGUN, BROKEN, UNFENCED, HANDED_IN, MODELS, REFUSED}
    return next(store.ids(), None) is None and {entry.kind for entry in store.log()} <= harmless


def changes(old: Programme, new: Programme) -> list[str]:
    """The differences between two programmes, each as a sentence.

    Empty when the same matches are played.
    """
    return [
        *_compared(
            "game",
            _by(old.contests, "label"),
            _by(new.contests, "label"),
            "its seats, options, rules, deals or form",
        ),
        *_compared("bot", _by(old.entrants, "name"), _by(new.entrants, "name"), "its files, command or environment"),
        *([] if old.deals == new.deals else [f"deals: {_deals(old, new)}"]),
        *([] if old.clock == new.clock else [f"clock: {_settings(old.clock)}, now {_settings(new.clock)}"]),
        *([] if old.anchor == new.anchor else ["the anchor of the ratings is another"]),
        *([] if old.forfeits == new.forfeits else [f"forfeits: {old.forfeits}, now {new.forfeits}"]),
        *([] if old.rate == new.rate else [f"rate: {old.rate}, now {new.rate}"]),
        *(
            []
            if old.fault_margin == new.fault_margin
            else [f"fault_margin: {old.fault_margin}, now {new.fault_margin}"]
        ),
        *([] if old.max_faults == new.max_faults else [f"max_faults: {old.max_faults}, now {new.max_faults}"]),
        *([] if old.league == new.league else [f"the league's name: {old.league!r}, now {new.league!r}"]),
    ]


def _by(values: Iterable[Any], name: str) -> dict[str, Any]:
    return {getattr(value, name): value for value in values}


def _compared(what: str, old: dict[str, Any], new: dict[str, Any], of: str) -> Iterator[str]:
    yield from (f"{what} {name} is gone" for name in old if name not in new)
    yield from (f"{what} {name} is new" for name in new if name not in old)
    yield from (f"{what} {name}: {of} changed" for name in new if name in old and old[name] != new[name])


def _deals(old: Programme, new: Programme) -> str:
    if len(old.deals) != len(new.deals):
        return f"{len(old.deals)}, now {len(new.deals)}"
    return "others than before"


def _settings(values: Any) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())
