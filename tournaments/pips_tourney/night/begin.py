"""Begin a night: make room for it, log its programme and secret, list any changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pips_referee.worth import worth_sha256
from pips_tourney.night.log.commitment import Pledge, drop_pledge
from pips_tourney.night.log.earlier_nights import move_aside, moved_aside
from pips_tourney.night.log.kinds import BEACON, BEGUN, BROKEN, COMMITTED, GAMES, HANDED_IN, MODELS, REFUSED, UNFENCED
from pips_tourney.night.log.store import Store, open_store
from pips_tourney.night.night import Night, last_night, nights
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.proof.game_code import code_of
from pips_tourney.night.proof.promise import check_new
from pips_tourney.secret import Secret


def make_room(database: Path, secret: Secret | None, *, season: bool, new: bool, go_on: bool) -> Path | None:
    """Move the last night aside if another is to be played; return its new path.

    `new` asks for another night. A season begins another once the last is over, unless
    `go_on`. In a season, `secret` must not be that of any earlier night.
    """
    exists = database.exists()
    if not season:
        return move_aside(database) if exists and new else None
    another = exists and (new or (not go_on and is_over(database)))
    if secret is not None:
        check_new(secret, [*moved_aside(database).values(), *([database] if another else [])])
    return move_aside(database) if another else None


def is_over(database: Path) -> bool:
    """Whether a database's night is complete, and no decision was made since."""
    with open_store(database) as store:
        return bool(nights(store)) and last_night(store).is_ended()


def begin(store: Store, programme: Programme, secret: Secret, pledge: Pledge | None = None) -> Night:
    """Store the secret and the programme, unless they are stored already.

    Nothing may be played before this. A commitment made beforehand, with its beacon, is
    logged first.
    """
    begun = store.log(BEGUN)
    entries: list[tuple[str, dict[str, Any]]] = []
    if not begun:
        entries += [] if pledge is None else [(COMMITTED, pledge.commitment.model_dump())]
        entries += [(BEACON, {"text": secret.beacon})] if secret.beacon else []
    if not begun or nights(store)[-1].digest != programme.digest:
        games = sorted({contest.game for contest in programme.contests})
        values = {game: worth_sha256(game) for game in games}
        dumped = {"programme": programme.dump(), "secret_commitment": secret.commitment, "values": values}
        dumped |= {"games": code_of(games)}
        entries.append((BEGUN, dumped))
    store.keep_secret(secret, entries)
    if pledge is not None:
        drop_pledge(store.path)
    return Night(store, programme, secret)


def is_untouched(store: Store) -> bool:
    """Whether nothing was played or decided yet, say because bots did not start.

    Then another programme may replace this one.
    """
    harmless = {COMMITTED, BEACON, BEGUN, BROKEN, UNFENCED, HANDED_IN, MODELS, REFUSED, GAMES}
    return next(store.ids(), None) is None and {entry.kind for entry in store.log()} <= harmless


def changes(old: Programme, new: Programme) -> list[str]:
    """The differences between two programmes, each as a sentence.

    Empty if the same matches are played.
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
        *(
            f"{name}: {was}, now {now}"
            for name in ("rate", "max_faults")
            if (was := getattr(old, name)) != (now := getattr(new, name))
        ),
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
