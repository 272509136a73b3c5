"""Decisions a second of `pips-tourney export --as dataset`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np

from pips_tourney.analysis.dataset import write_dataset
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import Night, last_night
from tests.lab.bench.figures import ROUNDS, Figure, figure
from tests.pips_tourney.web.nights import small_night

WORKERS: Final = 2
AT_LEAST: Final = 20_000


def bench(*, quick: bool) -> Iterator[Figure]:
    """From the database to files on the disk, over worker processes."""
    with (
        tempfile.TemporaryDirectory() as folder,
        read_store(small_night(Path(folder), deals=5 if quick else 150)) as store,
    ):
        night = last_night(store)
        rates = [_rate(night, Path(folder, "rows")) for _ in range(2 if quick else ROUNDS)]
        yield figure(f"a night exported as a dataset by {WORKERS} processes", "decisions/s", rates, AT_LEAST)


def _rate(night: Night, folder: Path) -> float:
    begun = perf_counter()
    write_dataset(night, folder, WORKERS)
    taken, decisions = perf_counter() - begun, 0
    for file in folder.glob("*.npz"):
        with np.load(file) as rows:
            asked = np.stack([rows["matches"], rows["seats"], rows["questions"]])
        decisions += int((asked[:, 1:] != asked[:, :-1]).any(axis=0).sum()) + 1
        file.unlink()
    return decisions / taken
