"""Dominion's values as messages of dominion.proto."""

from __future__ import annotations

from typing import Final, assert_never

from pips.v1 import dominion_pb2, game_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.games.dominion.rules import GAME
from pips_referee.games.dominion.values import (
    ADVANCE,
    ATTACK,
    DECLARE,
    DEPLOY,
    OVER,
    PASS,
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
from pips_referee.wire import GameWire, read_card, read_cards

NOBODY: Final = 255
_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}
_STAGE_NAME: Final = dict(enumerate((RESIGN, DECLARE, ATTACK, ADVANCE, DEPLOY, OVER), 1))
_STAGE_NUMBER: Final = {stage: number for number, stage in _STAGE_NAME.items()}


class DominionWire(GameWire[DominionOptions, DominionView, DominionAction, DominionEvent]):
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
            _dice(sent.dice, "dice") if sent.dice else None,
            tuple(map(Deploy, *_columns(sent.deployments, 2, "deployments"))),
            not sent.no_resigning,
            sent.optional_army,
        )

    def write_action(self, action: DominionAction, message: game_pb2.GameAction) -> None:
        out = message.dominion
        if isinstance(action, Attack):
            attack = out.attack
            attack.source = action.source
            attack.target = action.target
        elif isinstance(action, Deploy):
            deploy = out.deploy
            deploy.cell = action.cell
            deploy.count = action.count
        elif isinstance(action, Pass):
            out.passed.SetInParent()
        elif isinstance(action, Advance):
            advance = out.advance
            advance.source = action.source
            advance.target = action.target
            advance.count = action.count
        elif isinstance(action, Conquer):
            out.conquer = action.count
        elif isinstance(action, Reinforce):
            out.reinforce = action.cell
        elif isinstance(action, Remove):
            out.remove = action.cell
        elif isinstance(action, Declare):
            out.declare.SetInParent()
        elif isinstance(action, Resign):
            out.resign.SetInParent()
        else:
            assert_never(action)

    def read_action(self, message: game_pb2.GameAction) -> DominionAction:
        sent = message.dominion
        match sent.WhichOneof("kind"):
            case "passed":
                return PASS
            case "attack":
                return Attack(sent.attack.source, sent.attack.target)
            case "deploy":
                return Deploy(sent.deploy.cell, sent.deploy.count)
            case "advance":
                return Advance(sent.advance.source, sent.advance.target, sent.advance.count)
            case "conquer":
                return Conquer(sent.conquer)
            case "declare":
                return Declare()
            case "reinforce":
                return Reinforce(sent.reinforce)
            case "remove":
                return Remove(sent.remove)
            case "resign":
                return Resign()
            case _:
                raise MalformedMessage(f"a Dominion action is one of passed, {', '.join(GAME.kinds)}; none is set")

    def write_event(self, event: DominionEvent, message: game_pb2.GameEvent) -> None:
        out = message.dominion
        match event:
            case TurnBegan(round_, seat):
                out.turn_began.round = round_
                out.turn_began.seat = seat
            case Fought():
                _write_battle(event, out.fought)
            case DeploymentRolled(seat, dice):
                out.deployment_rolled.seat = seat
                out.deployment_rolled.dice = bytes(dice)
            case Deployed(seat, cell, count):
                deployed = out.deployed
                deployed.seat = seat
                deployed.cell = cell
                deployed.count = count
            case Advanced(seat, source, target, count) | Conquered(seat, source, target, count):
                moved = out.advanced if isinstance(event, Advanced) else out.conquered
                moved.seat = seat
                moved.source = source
                moved.target = target
                moved.count = count
            case CardTurned(seat, card, reshuffled):
                turned = out.card_turned
                turned.seat = seat
                turned.card = bytes((card,))
                turned.reshuffled = reshuffled
            case Reinforced(seat, cell) | Removed(seat, cell):
                kinged = out.reinforced if isinstance(event, Reinforced) else out.removed
                kinged.seat = seat
                kinged.cell = cell
            case Resigned(seat):
                out.resigned = seat
            case PlayfieldDealt(playfield):
                out.playfield_dealt = bytes(playfield)
            case _:
                assert_never(event)

    def read_event(self, message: game_pb2.GameEvent) -> DominionEvent:
        sent = message.dominion
        match sent.WhichOneof("kind"):
            case "turn_began":
                return TurnBegan(sent.turn_began.round, sent.turn_began.seat)
            case "fought":
                return _read_battle(sent.fought)
            case "deployment_rolled":
                return DeploymentRolled(sent.deployment_rolled.seat, _dice(sent.deployment_rolled.dice, "dice"))
            case "deployed":
                return Deployed(sent.deployed.seat, sent.deployed.cell, sent.deployed.count)
            case "advanced":
                moved = sent.advanced
                return Advanced(moved.seat, moved.source, moved.target, moved.count)
            case "conquered":
                moved = sent.conquered
                return Conquered(moved.seat, moved.source, moved.target, moved.count)
            case "card_turned":
                turned = sent.card_turned
                return CardTurned(turned.seat, read_card(turned.card, "card"), turned.reshuffled)
            case "reinforced":
                return Reinforced(sent.reinforced.seat, sent.reinforced.cell)
            case "removed":
                return Removed(sent.removed.seat, sent.removed.cell)
            case "resigned":
                return Resigned(sent.resigned)
            case "playfield_dealt":
                return PlayfieldDealt(read_cards(sent.playfield_dealt, "playfield_dealt"))
            case _:
                raise MalformedMessage("a Dominion event has one kind; none is set")


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


def _write_battle(battle: Fought, out: dominion_pb2.DominionEvent.Fought) -> None:
    out.attacker = battle.attacker
    out.defender = battle.defender
    out.source = battle.source
    out.target = battle.target
    out.advantage = battle.advantage
    out.attacker_dice = bytes(battle.attacker_dice)
    out.defender_dice = bytes(battle.defender_dice)
    out.attacker_losses = battle.attacker_losses
    out.defender_losses = battle.defender_losses


def _read_battle(sent: dominion_pb2.DominionEvent.Fought) -> Fought:
    return Fought(
        attacker=sent.attacker,
        defender=sent.defender,
        source=sent.source,
        target=sent.target,
        advantage=sent.advantage,
        attacker_dice=_dice(sent.attacker_dice, "attacker_dice"),
        defender_dice=_dice(sent.defender_dice, "defender_dice"),
        attacker_losses=sent.attacker_losses,
        defender_losses=sent.defender_losses,
    )


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


def _dice(data: bytes, what: str) -> tuple[int, int]:
    one, other = _sized(data, 2, what)
    return one, other
