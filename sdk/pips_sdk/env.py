"""Matches stepped by numbers, for training.

Observations and actions have a fixed size. A mask says what is legal. Matches are
seeded.

A whole match::

    env = MatchEnv("wichita")
    env.reset(seed=1)
    while env.seat is not None:
        observation, mask = env.observe(), env.mask()
        env.step(my_choice(observation, mask))
    print(env.rewards())

`pips_sdk.spaces` says what the numbers mean. Nothing here needs numpy;
`pips_sdk.pettingzoo_env` has the same matches as environments of PettingZoo.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from pips_referee.chance import Chance
from pips_referee.game import Action, AnyState, View, get_game
from pips_sdk.spaces import space_of


class MatchEnv:
    """One match of a game after another; the caller plays all seats."""

    def __init__(self, game: str, seats: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """`seats` is by default the fewest.

        `OptionsError` if the game cannot be played with these seats and options.
        """
        self.game = get_game(game)
        self.options = self.game.options(options)
        self.seats = self.game.seats(self.options)[0] if seats is None else seats
        self.game.check_seats(self.options, self.seats)
        self.space = space_of(game, self.options, self.seats)
        self._state: AnyState
        self._view: View
        self._legal: dict[int, Action]
        self.reset(0)

    @property
    def seat(self) -> int | None:
        """The seat that must decide now, None when the match is over."""
        return self._state.to_ask

    @property
    def view(self) -> View:
        """The view of the seat that must decide."""
        return self._view

    def reset(self, seed: int) -> None:
        """Begin a new match; the same seed and steps give the same match."""
        digest = sha256(f"pips_sdk.env/{seed}".encode()).digest()
        self._state, _ = self.game.start(self.options, self.seats, Chance(digest))
        self._look()

    def step(self, number: int) -> None:
        """Play the action of that number; `ValueError` when it is not legal now."""
        if number not in self._legal:
            raise ValueError(f"action {number} is not legal now; legal are {sorted(self._legal)}")
        self._state.apply(self._legal[number])
        self._look()

    def observe(self, seat: int | None = None) -> list[int]:
        """A seat's view as `space.observation_size` numbers from 0 up.

        By default the seat that must decide.
        """
        if seat is None or seat == self.seat:
            return self.space.observe(self._view)
        return self.space.observe(self._state.view(seat))

    def mask(self) -> bytearray:
        """By action, 1 if it is legal now, else 0."""
        mask = bytearray(self.space.action_count)
        for number in self._legal:
            mask[number] = 1
        return mask

    def legal(self) -> list[int]:
        """The numbers of the actions that are legal now."""
        return list(self._legal)

    def rewards(self) -> list[float]:
        """By seat, a number from -1 (last) to 1 (first), for the match as it is now.

        It is the seats left behind less the seats ahead, divided by the number of
        opponents. The rewards add up to 0.
        """
        places = self._state.outcome().places
        others = len(places) - 1
        return [sum([(place < other) - (place > other) for other in places]) / others for place in places]

    def _look(self) -> None:
        seat = self._state.to_ask
        self._view = self._state.view(0 if seat is None else seat)
        self._legal = {} if seat is None else self.space.legal(self._view)
