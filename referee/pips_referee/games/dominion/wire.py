"""Dominion's values as messages of dominion.proto."""

from __future__ import annotations

from typing import Final

from pips.v1 import dominion_pb2, game_pb2
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
    CARD,
    CARD_TUPLE,
    DICE,
    PLAIN,
    GameWire,
    OneOf,
    alone,
    message,
    read_card,
    read_cards,
    read_two,
)

NOBODY: Final = 255
_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}
_STAGE_NAME: Final = dict(enumerate((RESIGN, DECLARE, ATTACK, ADVANCE, DEPLOY, OVER), 1))
_STAGE_NUMBER: Final = {stage: number for number, stage in _STAGE_NAME.items()}


class DominionWire(GameWire[DominionOptions, DominionView, DominionAction, DominionEvent]):
    game = GAME.name
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

    def write_options(self, options: DominionOptions, message: game_pb2.GameOptions) -> None:
        out = message.dominion
        out.SetInParent()
        if options.size is not None:
            out.size = options.size
        if options.max_rounds is not None:
            out.max_rounds = options.max_rounds
        if not options.resigning:
            out.resigning = False
        out.optional_army = options.optional_army

    def read_options(self, message: game_pb2.GameOptions) -> DominionOptions:
        sent = message.dominion
        return DominionOptions(
            size=sent.size if sent.HasField("size") else None,
            max_rounds=sent.max_rounds if sent.HasField("max_rounds") else None,
            resigning=sent.resigning if sent.HasField("resigning") else True,
            optional_army=sent.optional_army,
        )

    def write_view(self, view: DominionView, message: game_pb2.GameView) -> None:
        out = message.dominion
        out.seat = view.seat
        out.kind = _KIND_NUMBER[view.kind]  # type: ignore[assignment]  # enum fields take their number
        out.size = view.size
        out.round = view.round
        out.max_rounds = view.max_rounds
        out.turn = view.turn
        out.stage = _STAGE_NUMBER[view.stage]  # type: ignore[assignment]
        out.playfield = bytes(view.playfield)
        out.owners = bytes([NOBODY if owner is None else owner for owner in view.owners])
        out.armies = bytes(view.armies)
        if view.turned is not None:
            out.turned = bytes((view.turned,))
        out.discards = bytes(view.discards)
        out.resigned.extend(view.resigned)
        out.had_armies.extend(view.had_armies)
        if not view.resigning:
            out.no_resigning = True
        if view.optional_army:
            out.optional_army = True
        _write_choices(view, out)

    def read_view(self, message: game_pb2.GameView) -> DominionView:
        sent = message.dominion
        cells = sent.size**2
        return DominionView(  # by position: names cost a tenth
            sent.seat,
            _named(_KIND_NAME, sent.kind, "kind"),
            sent.size,
            sent.round,
            sent.max_rounds,
            sent.turn,
            _named(_STAGE_NAME, sent.stage, "stage"),
            read_cards(_sized(sent.playfield, cells, "playfield"), "playfield"),
            tuple([None if byte == NOBODY else byte for byte in _sized(sent.owners, cells, "owners")]),
            tuple(_sized(sent.armies, cells, "armies")),
            read_card(sent.turned, "turned") if sent.turned else None,
            read_cards(sent.discards, "discards"),
            tuple(sent.resigned),
            tuple(sent.had_armies),
            tuple(map(Attack, *_columns(sent.attacks, 2, "attacks"))),
            sent.must_attack,
            tuple(sent.cells),
            Conquest(*_sized(sent.conquest, 3, "conquest")) if sent.conquest else None,
            tuple(map(Advance, *_columns(sent.advances, 3, "advances"))),
            read_two(sent.dice, "dice") if sent.dice else None,
            tuple(map(Deploy, *_columns(sent.deployments, 2, "deployments"))),
            not sent.no_resigning,
            sent.optional_army,
        )


WIRE: Final = DominionWire()


def _write_choices(view: DominionView, out: dominion_pb2.DominionView) -> None:
    out.attacks = bytes([cell for attack in view.attacks for cell in (attack.source, attack.target)])
    out.must_attack = view.must_attack
    out.cells = bytes(view.cells)
    if (conquest := view.conquest) is not None:
        out.conquest = bytes((conquest.source, conquest.target, conquest.most))
    out.advances = bytes([part for move in view.advances for part in (move.source, move.target, move.count)])
    if view.dice is not None:
        out.dice = bytes(view.dice)
    out.deployments = bytes([part for most in view.deployments for part in (most.cell, most.count)])


def _named(names: dict[int, str], number: int, what: str) -> str:
    if number not in names:
        raise MalformedMessage(f"{what}: {number} means nothing")
    return names[number]


def _sized(data: bytes, size: int, what: str) -> bytes:
    if len(data) != size:
        raise MalformedMessage(f"{what}: {size} bytes, not {len(data)}")
    return data


def _columns(data: bytes, width: int, what: str) -> list[bytes]:
    """The columns of rows of that many bytes: all first bytes, all second bytes, ..."""
    if len(data) % width:
        raise MalformedMessage(f"{what}: {width} bytes each, but there are {len(data)}")
    return [data[column::width] for column in range(width)]
