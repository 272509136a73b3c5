"""Train a small network to answer like the bots in a dataset.

    python train.py FOLDER WEIGHTS [--bot BOT] [--passes N]

FOLDER comes from `pips-tourney export NIGHT --as dataset -o FOLDER`. The network learns
the answers of BOT, and `bot.py` plays with the file WEIGHTS. It has two hidden layers,
and softmax over the legal actions. It is trained with Adam (Kingma and Ba, ICLR 2015),
using only numpy.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HIDDEN = 128
BATCH = 256
RATE = 2e-3
KEPT = 10
"""Every tenth match is held out to measure how well the network learns."""

Floats = NDArray[np.float32]


class Lessons:
    """The rows of a dataset, for one bot or all; observations are scaled to 0 to 1."""

    def __init__(self, folder: Path, bot: str) -> None:
        files = [dict(np.load(file)) for file in sorted(folder.glob("*.npz"))]
        if not files:
            raise SystemExit(f"there is no dataset in {folder}: write one with pips-tourney export --as dataset")
        scale = np.repeat(files[0]["field_most"], files[0]["field_sizes"]).astype(np.float32)
        whose = np.concatenate([each["bot_names"][each["bots"]] for each in files])
        rows = (whose == bot) | (bot == "")
        if not rows.any():
            raise SystemExit(f"there is no decision of {bot} in {folder}; there are those of {', '.join(set(whose))}")
        self.observations = np.minimum(np.concatenate([each["observations"] for each in files])[rows] / scale, 1)
        self.masks = np.concatenate([each["masks"] for each in files])[rows].astype(bool)
        self.actions = np.concatenate([each["actions"] for each in files])[rows].astype(int)
        self.is_kept = np.concatenate([each["matches"] for each in files])[rows] % KEPT == 0


class Network:
    """Two hidden layers, and the probabilities of the legal actions."""

    def __init__(self, inputs: int, actions: int, rng: np.random.Generator) -> None:
        shapes = [(inputs, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN, actions), (actions,)]
        spread = [np.sqrt(2 / shape[0]) if len(shape) == 2 else 0 for shape in shapes]
        spread[4] = 0.0
        self.weights = [
            rng.normal(0, each, shape).astype(np.float32) for each, shape in zip(spread, shapes, strict=True)
        ]
        self.mean = [np.zeros_like(each) for each in self.weights]
        self.square = [np.zeros_like(each) for each in self.weights]
        self.steps = 0

    def chances(self, observed: Floats, masks: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
        """Both hidden layers, and the probabilities of the actions."""
        w = self.weights
        first = np.maximum(observed @ w[0] + w[1], 0)
        second = np.maximum(first @ w[2] + w[3], 0)
        logits = np.where(masks, second @ w[4] + w[5], -np.inf)
        grown = np.exp(logits - logits.max(axis=1, keepdims=True))
        return first, second, grown / grown.sum(axis=1, keepdims=True)

    def learn(self, observed: Floats, masks: NDArray[np.bool_], actions: NDArray[np.int64], rate: float) -> None:
        """Take one step of Adam towards these answers."""
        first, second, error = self.chances(observed, masks)
        error[np.arange(len(actions)), actions] -= 1
        error /= len(actions)
        back = (error @ self.weights[4].T) * (second > 0)
        further = (back @ self.weights[2].T) * (first > 0)
        slopes = [
            observed.T @ further, further.sum(axis=0), first.T @ back, back.sum(axis=0), second.T @ error,
            error.sum(axis=0),
        ]  # fmt: skip
        self.steps += 1
        for at, slope in enumerate(slopes):
            self.mean[at] += 0.1 * (slope - self.mean[at])
            self.square[at] += 0.001 * (slope**2 - self.square[at])
            step, spread = self.mean[at] / (1 - 0.9**self.steps), self.square[at] / (1 - 0.999**self.steps)
            self.weights[at] -= rate * step / (np.sqrt(spread) + 1e-8)


def train(lessons: Lessons, passes: int, seed: int = 1) -> tuple[Network, float]:
    """The network, and its share of equal answers among held-out ones with a choice."""
    rng = np.random.default_rng(seed)
    network = Network(lessons.observations.shape[1], lessons.masks.shape[1], rng)
    rows = np.flatnonzero(~lessons.is_kept)
    for number in range(passes):
        rng.shuffle(rows)
        rate = RATE * (1 - number / passes)
        for start in range(0, len(rows), BATCH):
            some = rows[start : start + BATCH]
            network.learn(lessons.observations[some], lessons.masks[some], lessons.actions[some], rate)
    chosen = np.flatnonzero(lessons.is_kept & (lessons.masks.sum(axis=1) > 1))
    *_, chances = network.chances(lessons.observations[chosen], lessons.masks[chosen])
    return network, float(np.mean(chances.argmax(axis=1) == lessons.actions[chosen])) if len(chosen) else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description="Teach a network to answer as a dataset does.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--bot", default="", help="whose answers are learned; by default those of all")
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the first weights and the order of lessons")
    asked = parser.parse_args()
    lessons = Lessons(asked.folder, asked.bot)
    network, right = train(lessons, asked.passes, asked.seed)
    with asked.weights.open("wb") as file:
        np.savez(file, *network.weights)
    print(f"{len(lessons.actions)} answers; of those kept aside it gives {right:.1%} as its teacher did")


if __name__ == "__main__":
    main()
