"""`python -m tests.lab.bench.peers`: our games beside other libraries' in one run,
decisions a second of one core; our vector environments take two.

The others are installed in `.venv-peers`, from peers.txt. Both are compared as one
process gets them: their playing loop, and ours with views, events and record.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import venv
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from pips_sdk.vector import VectorEnv
from tests.lab.bench import learners
from tests.lab.bench.figures import ROUNDS, Figure, figure, per_second, table, write_json
from tests.lab.bench.in_process import rules_alone, whole_match

PEERS: Final = (
    ("open_spiel/hearts", "OpenSpiel, C++ core: hearts"),
    ("open_spiel/crazy_eights", "OpenSpiel, C++ core: crazy eights"),
    ("open_spiel/gin_rummy", "OpenSpiel, C++ core: gin rummy"),
    ("rlcard/uno", "RLCard: uno"),
    ("rlcard/gin-rummy", "RLCard: gin rummy"),
    ("pettingzoo/leduc_holdem_v4", "PettingZoo: leduc hold'em"),
    ("pettingzoo/texas_holdem_v4", "PettingZoo: texas hold'em"),
    ("pettingzoo/texas_holdem_no_limit_v6", "PettingZoo: texas hold'em, no limit"),
    ("pettingzoo/hanabi_v5", "PettingZoo: hanabi"),
    ("pokerkit/holdem", "PokerKit: no-limit hold'em"),
    ("pelita/maze", "Pelita: four bots in a maze"),
)
PEERS_VENV: Final = Path(__file__).parents[3] / ".venv-peers"
OURS: Final = (("serpent", 2), ("wichita", 2), ("pippip", 4), ("dominion", 2))


def bench(python: Path, *, quick: bool) -> Iterator[Figure]:
    """Every round measures all of them, one after the other."""
    seconds, rounds = (0.05, 2) if quick else (0.3, ROUNDS)
    script = Path(__file__).with_name("peer_games.py")
    games = {
        **{f"Pips, {name}, {seats} seats: whole match": whole_match(name, seats) for name, seats in OURS},
        **{f"Pips, {name}, {seats} seats: rules alone": rules_alone(name, seats) for name, seats in OURS},
    }
    measured: dict[str, list[float]] = {name: [] for name in (*games, *(title for _, title in PEERS))}
    with (
        subprocess.Popen([python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peers,
        ExitStack() as stack,
    ):
        vectors = {}
        for game, options, _ in learners.GAMES:
            env = stack.enter_context(VectorEnv(game, learners.TABLES, learners.WORKERS, seats=2, options=options))
            env.reset(seed=1)
            title = f"Pips, {game}: {learners.TABLES} environments in {learners.WORKERS} processes (of two cores)"
            vectors[title], measured[title] = env, []
        assert peers.stdin is not None and peers.stdout is not None
        for _ in range(rounds):
            for title, play in games.items():
                measured[title].append(per_second(play, seconds))
            for name, title in PEERS:
                peers.stdin.write(f"{name} {seconds}\n")
                peers.stdin.flush()
                measured[title].append(json.loads(peers.stdout.readline()))
            for title, env in vectors.items():
                measured[title].append(learners.steps_a_second(env, seconds))
    for title, figures in measured.items():
        yield figure(title, "decisions/s", figures)


def peers_python() -> Path:
    """The interpreter of `.venv-peers`, which is made if it is not there."""
    python = PEERS_VENV / "bin" / "python"
    if not (PEERS_VENV / "installed").exists():
        venv.create(PEERS_VENV, with_pip=True)
        install = ["-m", "pip", "install", "--quiet", "--requirement", str(Path(__file__).with_name("peers.txt"))]
        subprocess.run([python, *install], check=True)
        (PEERS_VENV / "installed").touch()
    return python


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.bench.peers", description="Our games beside others'.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--quick", action="store_true", help="a look, not a measurement")
    arguments = parser.parse_args()
    figures = sorted(bench(peers_python(), quick=arguments.quick), key=lambda figure: -figure.middle)
    print(table(figures))
    if arguments.json:
        write_json(figures, arguments.json)


if __name__ == "__main__":
    main()
