"""`pips-tourney run` in a process of its own: how long the parts of a night took.

python -m tests.lab.bench.one_night LEAGUE STARTED

Nothing is loaded here before the command has begun its arenas.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from pips_tourney.cli import tourney
from pips_tourney.cli.nights import run


def main(league: Path, started: float) -> None:
    """Play it; the last line printed is JSON.

    `started` is when this process was started, by the machine's monotonic clock.
    """
    engines: list[Any] = []
    play_and_show = vars(run)["play_and_show"]

    def play(*given: Any, **named: Any) -> None:
        from pips_tourney.play import session
        from tests.lab.bench.nights import Timed

        engine_of: Any = vars(session)["engine_of"]

        def timed(*given: Any) -> Any:
            engines.append(Timed(engine_of(*given)))
            return engines[-1]

        setattr(session, "engine_of", timed)  # noqa: B010 - for the type checker
        play_and_show(*given, **named)

    setattr(run, "play_and_show", play)  # noqa: B010
    with suppress(SystemExit):
        tourney.main(["run", str(league), "--db", str(league.with_suffix(".db"))])
    print(json.dumps(_parts(engines[0], started)))


def _parts(engine: Any, started: float) -> dict[str, float]:
    from tests.lab.bench.nights import MANY, peak_mb

    parts = {
        "start_s": engine.began - started,
        "play_s": engine.ends[-1] - engine.began,
        "peak_mb": peak_mb(),
    }
    return parts | ({"slower": engine.slower} if len(engine.ends) >= MANY else {})


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
