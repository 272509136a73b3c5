"""An OpenSpiel game as a match: luck from named streams, one seat asked at a time."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from os.path import commonprefix
from struct import pack
from typing import Any, ClassVar, Self, cast

from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction, OptionsError, UnknownGame
from pips_referee.game import AnyGame, Game, MarginScale, Options, Outcome, State, places_of
from pips_referee.openspiel.library import FAMILY, WORD, is_here, is_open, load, seats_of
from pips_referee.openspiel.values import (
    MOST_MOVE,
    MOVE,
    Reason,
    SpielChance,
    SpielMove,
    SpielMoved,
    SpielOptions,
    SpielTold,
    SpielView,
)
from pips_referee.printable import plain

SCORE_UNIT = 100
"""How many units of score make one point, as scores are whole numbers."""
EXACT = 1_000_000
"""How many units make one point when returns are compared."""
DRAWS = 1 << 32
SpielEvent = SpielMoved | SpielChance | SpielTold


class SpielState(State[SpielView, SpielMove, SpielEvent]):
    """A match; `spiel` is OpenSpiel's state, which no other object gets.

    Luck with equal chances comes from shuffled orders of the outcomes: the next outcome
    is the first that is still possible. When an outcome becomes possible again, a new
    order begins. So the chances stay equal whatever was drawn before. A deal gives the
    same cards in all seatings, even if the draws differ.
    """

    __slots__ = ("chance", "deck", "draws", "is_open", "kind", "left", "moves", "spiel", "tensor", "to_ask", "told")

    def __init__(self, game: Any, chance: Chance, *, tensor: bool) -> None:
        self.spiel, self.chance, self.tensor = game.new_initial_state(), chance, tensor
        self.is_open = is_open(game)
        self.to_ask: int | None = None
        self.kind, self.draws = "", 0
        self.deck: tuple[int, ...] = ()
        self.left: frozenset[int] = frozenset()
        self.told: Mapping[int, str] = {}
        """By seat, what it knew at its last question; empty if nothing is hidden."""
        self.moves: Mapping[str, int] = {}
        """OpenSpiel's numbers of the legal moves, by the text of the move."""

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        for name in SpielState.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.spiel = self.spiel.clone()
        return twin

    def view(self, seat: int) -> SpielView:
        moves = self.moves if seat == self.to_ask else {}
        known, tensor = _known(self.spiel, seat, is_open=self.is_open, tensor=self.tensor)
        return SpielView(seat, self.kind if moves else "", known, tuple(moves), tuple(moves.values()), tensor)

    def apply(self, action: SpielMove) -> list[SpielEvent]:
        assert self.to_ask is not None
        if action.move not in self.moves:
            raise IllegalAction(Reason.NOT_LEGAL, action, f"{plain(action.move)!r} is none of the legal moves")
        events: list[SpielEvent] = [self._move(self.to_ask, action.move, self.moves[action.move])]
        return events + self.go_on()

    def go_on(self) -> list[SpielEvent]:
        """Draw luck and play forced moves, until a seat has a choice."""
        events: list[SpielEvent] = []
        while not self.spiel.is_terminal():
            if self.spiel.is_chance_node():
                number = self._draw()
                outcome = _text(self.spiel.action_to_string(self.spiel.current_player(), number))
                self.spiel.apply_action(number)
                events.append(SpielChance(outcome, number, not self.is_open))
                continue
            seat = self.spiel.current_player()
            moves = _moves(self.spiel, seat)
            if len(moves) > 1:
                self.to_ask, self.kind, self.moves = seat, MOVE, moves
                return events if self.is_open else events + self._tell(seat)
            [(move, number)] = moves.items()
            events.append(self._move(seat, move, number))
        self.to_ask, self.kind, self.moves = None, "", {}
        return events

    def _tell(self, seat: int) -> list[SpielEvent]:
        old, (known, _) = self.told.get(seat, ""), _known(self.spiel, seat, is_open=False, tensor=False)
        kept = len(commonprefix([known, old]))  # noqa: RUF071 - of texts
        self.told = {**self.told, seat: known}
        return [SpielTold(seat, kept, known[kept:])] if known != old else []

    def _move(self, seat: int, move: str, number: int) -> SpielMoved:
        self.spiel.apply_action(number)
        return SpielMoved(seat, move, number, not self.is_open)

    def _draw(self) -> int:
        """OpenSpiel's number of the next random outcome."""
        outcomes = sorted(self.spiel.chance_outcomes())
        stream, self.draws = f"luck/{self.draws}", self.draws + 1
        if len({chance for _, chance in outcomes}) > 1:
            mark = self.chance.index(stream, DRAWS) / DRAWS * sum([chance for _, chance in outcomes])
            for number, chance in outcomes:
                mark -= chance
                if mark < 0 < chance:
                    return int(number)
            return int(max(outcomes, key=lambda outcome: outcome[1])[0])  # for a rounding error at the end
        possible = frozenset([number for number, _ in outcomes])
        if not possible <= self.left:
            self.deck = tuple(self.chance.shuffled(stream, sorted(possible)))
        drawn = next(number for number in self.deck if number in possible)
        self.left = possible - {drawn}
        return drawn

    def outcome(self) -> Outcome:
        returns = _returns(self.spiel)
        places = places_of([round(each * EXACT) for each in returns])
        return Outcome(places, tuple([round(each * SCORE_UNIT) for each in returns]))


def _known(spiel: Any, seat: int, *, is_open: bool, tensor: bool) -> tuple[str, str]:
    """The seat's knowledge as text, and as numbers if wanted and available."""
    kind = spiel.get_game().get_type()
    whole = kind.provides_information_state_string and not (is_open and kind.provides_observation_string)
    text = spiel.information_state_string(seat) if whole else spiel.observation_string(seat)
    if not tensor:
        return text, ""
    if kind.provides_information_state_tensor and not is_open:
        numbers = spiel.information_state_tensor(seat)
    else:
        numbers = spiel.observation_tensor(seat) if kind.provides_observation_tensor else []
    return text, b64encode(pack(f"<{len(numbers)}f", *numbers)).decode()


def _moves(spiel: Any, seat: int) -> dict[str, int]:
    """OpenSpiel's numbers of the legal moves, by distinct texts."""
    moves: dict[str, int] = {}
    for number in spiel.legal_actions():
        move = _text(spiel.action_to_string(seat, number))
        moves[move if move not in moves else f"{move} #{number}"] = number
    return moves


def _text(words: str) -> str:
    return plain(words.strip())[: MOST_MOVE - 20]


def _returns(spiel: Any) -> list[float]:
    """The return of each seat so far; in many games 0 before the end."""
    try:
        return [float(each) for each in spiel.returns()]
    except RuntimeError:
        return [0.0] * int(spiel.num_players())


class SpielGame(Game[SpielView, SpielMove, SpielEvent]):
    """The base class of OpenSpiel's games; `game_of` makes a subclass for each."""

    rules_version = 1
    options_type = SpielOptions
    kinds = (MOVE,)
    parts: ClassVar[Mapping[str, str]] = {"bot": "pips_sdk.openspiel"}
    word: ClassVar[str]
    """OpenSpiel's name of the game."""

    def seats(self, options: Options) -> range:
        return seats_of(self.word)

    def check_seats(self, options: Options, seats: int) -> None:
        super().check_seats(options, seats)
        kind = load(self.word, seats).get_type()
        if cast(SpielOptions, options).tensor and not (
            kind.provides_observation_tensor or kind.provides_information_state_tensor
        ):
            raise OptionsError(f"{self.name} has no tensor")

    def start(self, options: Options, seats: int, chance: Chance) -> tuple[SpielState, list[SpielEvent]]:
        state = SpielState(load(self.word, seats), chance, tensor=cast(SpielOptions, options).tensor)
        return state, state.go_on()

    def longest(self, options: Options, seats: int) -> int:
        return int(load(self.word, seats).max_game_length())


def game_of(word: str) -> AnyGame:
    """The game of that name.

    If OpenSpiel is not installed, as in a bot's process, the name is not checked: the
    game can be named, but not started.
    """
    if not WORD.fullmatch(word):
        raise UnknownGame(f"{word!r} is no game of OpenSpiel: write {FAMILY}:NAME or {FAMILY}:NAME(players=3)")
    facts: dict[str, object] = {
        "name": f"{FAMILY}:{word}", "title": word.replace("_", " ").capitalize(), "word": word,
        "__module__": __name__,
    }  # fmt: skip
    if is_here():
        game = load(word)
        spread = (game.max_utility() - game.min_utility()) * SCORE_UNIT / 4
        facts["margin"] = MarginScale(max(1.0, spread), 3.0)
        if is_open(game):
            facts["parts"] = {**SpielGame.parts, "bots": "pips_sample_bots.openspiel"}
    return cast(AnyGame, type("SpielGame", (SpielGame,), facts)())
