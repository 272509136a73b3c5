"""Dominion's values as messages of dominion.proto."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter, not_
from typing import Any, Final

from pips.v1 import game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.games.dominion.rules import GAME
from pips_referee.games.dominion.values import (
    ADVANCE,
    ATTACK,
    DECLARE,
    DEPLOY,
    OVER,
    RESIGN,
    Advance,
    Advanced,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Conquest,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionAction,
    DominionEvent,
    DominionOptions,
    Fought,
    Pass,
    PlayfieldDealt,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
    Resign,
    Resigned,
    TurnBegan,
)
from pips_referee.games.dominion.view import DominionView
from pips_referee.wire import (
    BYTES,
    CARD,
    CARD_TUPLE,
    DICE,
    NUMBERS,
    PLAIN,
    GameWire,
    OneOf,
    Part,
    alone,
    message,
    words,
)

NOBODY: Final = 255


def _rows(kind: type, *fields: str) -> Part:
    """A field of values, each with as many bytes as it has fields."""
    width, values = len(fields), attrgetter(*fields)

    def read(data: bytes, name: str) -> Any:
        if len(data) % width:
            raise MalformedMessage(f"{name}: {width} bytes each, but there are {len(data)}")
        return tuple(map(kind, *(data[column::width] for column in range(width))))

    return Part(lambda rows: bytes(chain.from_iterable(map(values, rows))), read)


def _read_conquest(data: bytes, name: str) -> Conquest:
    if len(data) != 3:
        raise MalformedMessage(f"{name}: 3 bytes, not {len(data)}")
    return Conquest(*data)


_PERHAPS: Final = Part(usual=None, unset=None)
_CONQUEST: Final = Part(
    lambda conquest: bytes((conquest.source, conquest.target, conquest.most)), _read_conquest, usual=None
)
_OWNERS: Final = Part(
    lambda owners: bytes([NOBODY if owner is None else owner for owner in owners]),
    lambda data, _: tuple([None if byte == NOBODY else byte for byte in data]),
)


class DominionWire(GameWire[DominionOptions, DominionView, DominionAction, DominionEvent]):
    game = GAME.name
    options = message(
        DominionOptions, size=_PERHAPS, max_rounds=_PERHAPS, resigning=Part(usual=True, unset=True), optional_army=PLAIN
    )
    views = message(
        DominionView,
        seat=PLAIN, kind=words("", *GAME.kinds), size=PLAIN, round=PLAIN, max_rounds=PLAIN, turn=PLAIN,
        stage=words(RESIGN, DECLARE, ATTACK, ADVANCE, DEPLOY, OVER, first=1), playfield=CARD_TUPLE,
        owners=_OWNERS, armies=BYTES, turned=CARD._replace(usual=None), discards=CARD_TUPLE,
        resigned=NUMBERS, had_armies=NUMBERS, attacks=_rows(Attack, "source", "target"), must_attack=PLAIN,
        cells=BYTES, conquest=_CONQUEST, advances=_rows(Advance, "source", "target", "count"),
        dice=DICE._replace(usual=None), deployments=_rows(Deploy, "cell", "count"),
        resigning=Part(not_, lambda no, _: not no, field="no_resigning"),
        optional_army=PLAIN,
    )  # fmt: skip
    actions = OneOf(
        f"a Dominion action is one of passed, {', '.join(GAME.kinds)}; none is set",
        passed=message(Pass),
        resign=message(Resign),
        declare=message(Declare),
        reinforce=alone(Reinforce, "cell"),
        remove=alone(Remove, "cell"),
        attack=message(Attack, source=PLAIN, target=PLAIN),
        conquer=alone(Conquer, "count"),
        advance=message(Advance, source=PLAIN, target=PLAIN, count=PLAIN),
        deploy=message(Deploy, cell=PLAIN, count=PLAIN),
    )
    events = OneOf(
        "a Dominion event has one kind; none is set",
        playfield_dealt=alone(PlayfieldDealt, "playfield", CARD_TUPLE),
        turn_began=message(TurnBegan, round=PLAIN, seat=PLAIN),
        resigned=alone(Resigned, "seat"),
        card_turned=message(CardTurned, seat=PLAIN, card=CARD, reshuffled=PLAIN),
        reinforced=message(Reinforced, seat=PLAIN, cell=PLAIN),
        removed=message(Removed, seat=PLAIN, cell=PLAIN),
        fought=message(
            Fought,
            attacker=PLAIN, defender=PLAIN, source=PLAIN, target=PLAIN, advantage=PLAIN,
            attacker_dice=DICE, defender_dice=DICE, attacker_losses=PLAIN, defender_losses=PLAIN,
        ),
        conquered=message(Conquered, seat=PLAIN, source=PLAIN, target=PLAIN, count=PLAIN),
        advanced=message(Advanced, seat=PLAIN, source=PLAIN, target=PLAIN, count=PLAIN),
        deployment_rolled=message(DeploymentRolled, seat=PLAIN, dice=DICE),
        deployed=message(Deployed, seat=PLAIN, cell=PLAIN, count=PLAIN),
    )  # fmt: skip

    def read_view(self, message: game_pb2.GameView) -> DominionView:
        sent = message.dominion
        for name in ("playfield", "owners", "armies"):
            if (size := len(getattr(sent, name))) != sent.size**2:
                raise MalformedMessage(f"{name}: {sent.size**2} bytes, not {size}")
        return super().read_view(message)


WIRE: Final = DominionWire()
