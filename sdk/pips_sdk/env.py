"""Matches stepped by numbers, for training.

Observations and actions have a fixed size. A mask shows which actions are legal.
Matches are seeded. Bots can play some of the seats. A lay-down in Wichita may take
several steps.

A whole match::

    env = MatchEnv("wichita")
    env.reset(seed=1)
    while env.seat is not None:
        observation, mask = env.observe(), env.mask()
        env.step(my_choice(observation, mask))
    print(env.rewards())

`pips_sdk.spaces` says what the numbers mean. This module needs no numpy;
`pips_sdk.pettingzoo_env` has the same matches as environments of PettingZoo.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from hashlib import sha256

from pips_referee.chance import Chance
from pips_referee.game import Action, AnyState, View, get_game
from pips_referee.records.replay import get_text
from pips_sdk._runtime.table import one_line
from pips_sdk.learning.opponents import Opponent, OpponentFault, Opponents, OpponentWarning, bot_class
from pips_sdk.learning.space import Numbers
from pips_sdk.spaces import space_of

__all__ = ["MatchEnv", "OpponentFault", "OpponentWarning"]


class MatchEnv:
    """One match of a game after another; the caller plays seats without a bot."""

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, object] | None = None,
        opponents: Mapping[int, Opponent] | None = None,
    ) -> None:
        """`seats` is by default the fewest; `opponents` are bots by seat.

        An opponent is a bot class, the name of a sample bot, or a bot's Python file.
        `OptionsError` if the game cannot be played with these seats and options.
        `ValueError` for an opponent that does not play the game.
        """
        self.game = get_game(game)
        self.options = self.game.options(options)
        self.seats = self.game.seats(self.options)[0] if seats is None else seats
        self.game.check_seats(self.options, self.seats)
        self.space = space_of(game, self.options, self.seats)
        scripted = {seat: bot_class(each, game) for seat, each in (opponents or {}).items()}
        if not scripted.keys() < {*range(self.seats)}:
            raise ValueError(f"opponents sit at some of the seats 0 to {self.seats - 1}, not at {sorted(scripted)}")
        self._opponents = Opponents(game, scripted) if scripted else None
        self._state: AnyState
        self._view: View
        self._legal: Sequence[int]
        self._said: tuple[int, ...] = ()
        self.fault: OpponentFault | None = None
        """The failure of an opponent that ended this match; None if there was none."""
        self.seed = -1
        """The seed of this match."""
        self.reset(0)

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the match is over."""
        return self._state.to_ask if self.fault is None else None

    @property
    def view(self) -> View:
        """The view of the seat to move."""
        return self._view

    def reset(self, seed: int | None = None) -> None:
        """Begin a new match; the same seed and steps give the same match.

        Without a seed, the last seed plus 1 is used.
        """
        seed = self.seed + 1 if seed is None else seed
        self.seed, self.fault = seed, None
        digest = sha256(f"pips_sdk.env/{seed}".encode()).digest()
        self._state, events = self.game.start(self.options, self.seats, Chance(digest))
        if self._opponents is not None:
            self._opponents.begin(self.seats, self.options, digest, events)
        self._look()

    def step(self, number: int) -> None:
        """Play action `number`; `ValueError` if it is not legal now.

        Then the opponents play, until a seat without a bot is to move.
        """
        if number not in self._legal:
            raise ValueError(f"action {number} is not legal now; legal are {sorted(self._legal)}")
        said = (*self._said, number)
        action = self.space.action(self._view, said)
        if action is None:  # an answer of several numbers is not finished
            self._said = said
            self._legal = self.space.numbers(self._view, said)
            return
        events = self._state.apply(action)
        if self._opponents is not None:
            self._opponents.hear(events)
        self._look()

    def numbers_of(self, action: Action) -> tuple[int, ...]:
        """The steps that play a legal action of the seat to move.

        Only a lay-down in Wichita may need more than one.
        """
        return self.space.spell(self._view, action)

    def render(self) -> str:
        """The position as the seat to move knows it, for a person."""
        return get_text(self.game.name).view_text(self._view)

    def observe(self, seat: int | None = None) -> list[int]:
        """A seat's view as `space.observation_size` numbers, none below 0.

        The default is the seat to move.
        """
        if seat is None or seat == self.seat:
            return self.space.observe(self._view, self._said)
        return self.space.observe(self._state.view(seat))

    def write(self, into: Numbers, at: int) -> None:
        """Write the numbers of `observe` from index `at` on; they must be 0 before."""
        self.space.write(self._view, self._said, into, at)

    def mask(self) -> bytearray:
        """By action, 1 if it is legal now, else 0."""
        mask = bytearray(self.space.action_count)
        for number in self._legal:
            mask[number] = 1
        return mask

    def legal(self) -> list[int]:
        """The numbers of the legal actions."""
        return list(self._legal)

    def rewards(self) -> list[float]:
        """By seat, a number from -1 (last) to 1 (first), for the current standings.

        It is the number of seats behind minus the number ahead, divided by the number
        of opponents. The rewards add up to 0. An opponent that failed is last.
        """
        if self.fault is not None:
            return [-1.0 if seat == self.fault.seat else 1 / (self.seats - 1) for seat in range(self.seats)]
        places = self._state.outcome().places
        others = len(places) - 1
        return [sum([(place < other) - (place > other) for other in places]) / others for place in places]

    def _look(self) -> None:
        state, others, self._said = self._state, self._opponents, ()
        if others is not None:
            while (asked := state.to_ask) in others.classes and asked is not None:
                try:
                    others.hear(state.apply(others.answer(asked, state.view(asked))))
                except Exception as error:  # noqa: BLE001 - a bot may raise anything
                    self._fail(others, asked, error)
                    break
            if state.to_ask is None:
                others.finish(state.outcome())
        seat = state.to_ask if self.fault is None else None
        self._view = state.view(0 if seat is None else seat)
        self._legal = () if seat is None else self.space.numbers(self._view)

    def _fail(self, others: Opponents, seat: int, error: Exception) -> None:
        """End the match because an opponent failed; the learner goes on."""
        bot = others.classes[seat]
        self.fault = OpponentFault(seat, bot.__name__, one_line(error, bot))
        warnings.warn(str(self.fault), OpponentWarning, stacklevel=4)
