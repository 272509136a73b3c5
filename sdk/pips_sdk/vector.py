"""Many matches at once in worker processes, with numpy arrays.

It needs numpy. For example::

    from pips_sdk.vector import VectorEnv

    if __name__ == "__main__":
        with VectorEnv("serpent", tables=64, workers=2, opponents=["greedy"]) as env:
            env.reset(seed=1)
            while training:
                actions = my_choice(env.observations, env.masks)
                env.step(actions)

The guard is needed: the workers import the program's main file. Without `opponents` the
caller plays all seats. `seats` says whose turn it is, so a learner can play against
older versions of itself.
"""

from __future__ import annotations

import multiprocessing
import traceback
from array import array
from collections.abc import Mapping, Sequence
from ctypes import c_byte, c_float, c_int32
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pips_sdk.env import MatchEnv
from pips_sdk.learning.fields import scales
from pips_sdk.learning.opponents import Opponent

__all__ = ["VectorEnv", "WorkerError"]

_SPAWN: Final = multiprocessing.get_context("spawn")
_STRIDE: Final = 1_000_003
"""The distance between the first seeds of two tables."""


class WorkerError(RuntimeError):
    """A worker process failed; the text is its traceback."""


class _Plan(NamedTuple):
    """What a worker plays: the game, and the arrays shared by all."""

    game: str
    seats: int
    options: Mapping[str, object]
    opponents: Sequence[Opponent]
    tables: range
    arrays: tuple[Any, ...]


def _shared(tables: int, observation_size: int, action_count: int, seat_count: int) -> tuple[Any, ...]:
    """The shared arrays: observations, masks, rewards, seats, ends, actions."""
    return (
        _SPAWN.RawArray(c_int32, tables * observation_size),
        _SPAWN.RawArray(c_byte, tables * action_count),
        _SPAWN.RawArray(c_float, tables * seat_count),
        _SPAWN.RawArray(c_int32, tables),
        _SPAWN.RawArray(c_byte, tables),
        _SPAWN.RawArray(c_int32, tables),
    )


class VectorEnv:
    """Tables of one game; each finished match is followed by the next at once."""

    observations: NDArray[np.int32]
    """By table, the observation of the seat to move (int32)."""
    masks: NDArray[np.int8]
    """By table and action, 1 if it is legal."""
    rewards: NDArray[np.float32]
    """By table and seat; 0 unless the table's match ended with the last step."""
    seats: NDArray[np.int32]
    """By table, the seat to move."""
    dones: NDArray[np.int8]
    """By table, 1 if its match ended with the last step; the next has begun."""

    def __init__(
        self,
        game: str,
        tables: int = 64,
        workers: int = 2,
        seats: int | None = None,
        options: Mapping[str, object] | None = None,
        opponents: Sequence[Opponent] = (),
    ) -> None:
        """With `opponents`, one for every other seat, the learner's seat rotates.

        `OptionsError` for seats and options that the game does not allow; `ValueError`
        for unsuitable opponents, tables or workers.
        """
        example = MatchEnv(game, seats, options)
        self.space, self.table_count, self.seat_count = example.space, tables, example.seats
        if opponents:
            if len(opponents) != self.seat_count - 1:
                raise ValueError(f"{self.seat_count} seats take {self.seat_count - 1} opponents, not {len(opponents)}")
            MatchEnv(game, seats, options, dict(enumerate(opponents)))  # raises early if any is unusable
        if not 1 <= workers <= tables:
            raise ValueError(f"workers are 1 to {tables}, the number of tables, not {workers}")
        self._arrays = _shared(tables, self.space.observation_size, self.space.action_count, self.seat_count)
        observations, masks, rewards, turns, dones, actions = [memoryview(each).cast("B") for each in self._arrays]
        self.observations = np.frombuffer(observations, np.int32).reshape(tables, -1)
        self.masks = np.frombuffer(masks, np.int8).reshape(tables, -1)
        self.rewards = np.frombuffer(rewards, np.float32).reshape(tables, -1)
        self.seats = np.frombuffer(turns, np.int32)
        self.dones = np.frombuffer(dones, np.int8)
        self._actions = np.frombuffer(actions, np.int32)
        self._scale = (1 / np.array(scales(self.space.fields))).astype(np.float32)
        bounds = [tables * worker // workers for worker in range(workers + 1)]
        plans = [
            _Plan(game, self.seat_count, dict(options or {}), opponents, range(first, end), self._arrays)
            for first, end in pairwise(bounds)
        ]
        self._workers = [_started(plan) for plan in plans]
        self._is_reset = False
        self.seed = -1
        """The seed of the last reset."""

    def reset(self, seed: int | None = None) -> None:
        """Begin a match at every table; the same seed and steps give the same matches.

        Without a seed, the last seed plus 1 is used, or 0 at first.
        """
        self.seed = self.seed + 1 if seed is None else seed
        self._tell(("reset", self.seed))
        self._is_reset = True

    def step(self, actions: NDArray[Any] | Sequence[int]) -> None:
        """Play one action at every table; `WorkerError` if one is illegal.

        `ValueError` unless there is one whole number for each table; then nothing is
        played.
        """
        if not self._is_reset:
            raise RuntimeError("call reset() before step()")
        self._actions[:] = _whole_numbers(actions, self.table_count)
        self._tell(("step", 0))

    def normalised(self) -> NDArray[np.float32]:
        """The observations scaled to 0 to 1, by the `most` of each field."""
        scaled: NDArray[np.float32] = np.minimum(self.observations * self._scale, 1)
        return scaled

    def close(self) -> None:
        """End the workers; a second call has no effect."""
        for process, pipe in self._workers:
            pipe.close()
            process.join()
        self._workers = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, order: tuple[str, int]) -> None:
        if not self._workers:
            raise RuntimeError("the environment is closed")
        try:
            for _, pipe in self._workers:
                pipe.send(order)
            failures = [failure for _, pipe in self._workers if (failure := pipe.recv())]
        except (EOFError, BrokenPipeError):
            failures = ["a worker process ended; a main file needs: if __name__ == '__main__':"]
        if failures:
            self.close()
            raise WorkerError(failures[0])


def _whole_numbers(actions: NDArray[Any] | Sequence[int], tables: int) -> NDArray[Any]:
    """The actions, checked to be one per table: numpy would cut or repeat them."""
    given = np.asarray(actions)
    if given.shape != (tables,):
        raise ValueError(f"actions are one number for each of {tables} tables, not of shape {given.shape}")
    if given.dtype.kind not in "iu":
        raise ValueError(f"actions are whole numbers, not {given.dtype}: give them as integers, such as np.int64")
    return given


def _started(plan: _Plan) -> tuple[Any, Connection]:
    mine, its = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_work, args=(plan, its), daemon=True)
    process.start()
    its.close()
    return process, mine


def _work(plan: _Plan, pipe: Connection) -> None:
    """The main loop of a worker, until the other end of the pipe is closed."""
    worker: _Worker | None = None
    while True:
        try:
            what, seed = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            worker = worker or _Worker(plan)
            if what == "reset":
                worker.reset(seed)
            else:
                worker.step()
            pipe.send("")
        except Exception:  # noqa: BLE001 - an opponent's code may raise anything
            pipe.send(traceback.format_exc())


class _Worker:
    """Some of the tables, and the indices of their numbers in the arrays."""

    def __init__(self, plan: _Plan) -> None:
        self.plan = plan
        views: list[Any] = [memoryview(each).cast("B") for each in plan.arrays]
        self.observations, self.masks, self.rewards, self.turns, self.dones, self.actions = (
            view.cast(form) for view, form in zip(views, "ibfibi", strict=True)
        )
        self.played = dict.fromkeys(plan.tables, 0)
        self.matches = {table: self._envs() for table in plan.tables}
        first = self.matches[plan.tables[0]][0].space
        self.size, self.count = first.observation_size, first.action_count
        self.no_mask = array("b", bytes(self.count))
        self.no_observation = array("i", [0] * self.size)

    def _envs(self) -> list[MatchEnv]:
        """One environment for each possible seat of the learner."""
        plan = self.plan
        if not plan.opponents:
            return [MatchEnv(plan.game, plan.seats, plan.options)]
        seatings = [
            dict(zip([seat for seat in range(plan.seats) if seat != own], plan.opponents, strict=True))
            for own in range(plan.seats)
        ]
        return [MatchEnv(plan.game, plan.seats, plan.options, seating) for seating in seatings]

    def reset(self, seed: int) -> None:
        for table in self.plan.tables:
            self.played[table] = 0
            self._clear(table)
            env = self.env(table)
            env.reset((seed << 64) + table * _STRIDE)
            self._next_match(table)
            self._show(table, self.env(table))

    def env(self, table: int) -> MatchEnv:
        envs = self.matches[table]
        if len(envs) == 1:
            return envs[0]
        return envs[(self.played[table] + table) % len(envs)]

    def step(self) -> None:
        dones, actions = self.dones, self.actions
        for table in self.plan.tables:
            env = self.env(table)
            if dones[table]:
                self._clear(table)
            env.step(actions[table])
            if env.seat is None:
                self._end(table, env)
                self._next_match(table)
                env = self.env(table)
            self._show(table, env)

    def _next_match(self, table: int) -> None:
        """Go on to the next match in which the learner has a decision."""
        while self.env(table).seat is None:
            seed = self.env(table).seed
            self.played[table] += 1
            self.env(table).reset(seed + 1)

    def _end(self, table: int, env: MatchEnv) -> None:
        seats = self.plan.seats
        self.rewards[table * seats : (table + 1) * seats] = array("f", env.rewards())
        self.dones[table] = 1

    def _clear(self, table: int) -> None:
        seats = self.plan.seats
        self.rewards[table * seats : (table + 1) * seats] = array("f", [0.0] * seats)
        self.dones[table] = 0

    def _show(self, table: int, env: MatchEnv) -> None:
        """Write the observation and mask of the seat to move."""
        size, count, masks = self.size, self.count, self.masks
        at, start = table * size, table * count
        self.observations[at : at + size] = self.no_observation
        env.write(self.observations, at)
        masks[start : start + count] = self.no_mask
        for number in env.legal():
            masks[start + number] = 1
        self.turns[table] = env.seat
