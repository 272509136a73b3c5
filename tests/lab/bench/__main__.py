"""`python -m tests.lab.bench [ROOM ...] [--json FILE] [--quick]`: print the table of
figures.

Rooms: in_process (rules, matches, layouts), over_grpc (referee and bots as processes),
over_lines (a bot in C++ beside one over gRPC), nights (leagues, ratings), clusters
(Dask beside the local engine), keepers (what they take beside other processes),
learners (steps of many tables), datasets (export of decisions), runner (what a runner
stores and rates of simulated arenas), growth (more bots, and more stored matches),
million (up to 1,000,000 of them; only when it is named).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from pips_tourney.bots.tuning import tune

tune()  # as `pips-tourney` does, before anything imports gRPC

from tests.lab.bench import (  # noqa: E402
    clusters,
    datasets,
    growth,
    in_process,
    keepers,
    learners,
    nights,
    over_grpc,
    over_lines,
    runner,
)
from tests.lab.bench.figures import Bench, Figure, row, table, write_json  # noqa: E402

ROOMS: Final[dict[str, Bench]] = {
    "in_process": in_process.bench,
    "over_grpc": over_grpc.bench,
    "over_lines": over_lines.bench,
    "nights": nights.bench,
    "clusters": clusters.bench,
    "keepers": keepers.bench,
    "learners": learners.bench,
    "datasets": datasets.bench,
    "runner": runner.bench,
    "growth": growth.bench,
}
NAMED: Final[dict[str, Bench]] = {"million": growth.bench_million}
"""They take so long that they run only if they are named."""


def main() -> None:
    rooms = ROOMS | NAMED
    parser = argparse.ArgumentParser(prog="python -m tests.lab.bench", description="What the house costs.")
    parser.add_argument(
        "rooms", nargs="*", metavar="ROOM", help=f"{', '.join(rooms)}; all but {', '.join(NAMED)} unless told"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--quick", action="store_true", help="a look, not a measurement")
    arguments = parser.parse_args()
    if unknown := [room for room in arguments.rooms if room not in rooms]:
        parser.error(f"there is no room {unknown[0]!r}; the rooms are {', '.join(rooms)}")
    figures: list[Figure] = []
    failures: list[str] = []
    for room in arguments.rooms or ROOMS:
        try:
            for figure in rooms[room](quick=arguments.quick):
                figures.append(figure)
                print(row(figure), file=sys.stderr, flush=True)  # as it comes: the whole takes long
        except Exception as error:  # noqa: BLE001 - the other rooms are measured all the same
            failures.append(f"{room} was not measured: {error!r}")
            print(failures[-1], file=sys.stderr, flush=True)
    print(table(figures))
    if arguments.json:
        write_json(figures, arguments.json)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
