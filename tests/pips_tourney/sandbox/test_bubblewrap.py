"""Bubblewrap's words, while other bots are enclosed at the same moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pips_tourney.sandbox.bubblewrap import _proc


def test_many_bots_are_enclosed_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(50)]
    with ThreadPoolExecutor(8) as pool:
        for folder in folders:
            folder.mkdir()
            words = list(pool.map(lambda _, at=folder: list(_proc(at)), range(8)))
            assert all(each == words[0] for each in words)
            assert {file.name for file in folder.iterdir()} == {"cpuinfo", "meminfo", "stat"}
