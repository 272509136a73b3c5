"""One account's load on a real place: nobody else waits, and it ends when told."""

from __future__ import annotations

import random
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx2 as httpx
import psutil
import pytest

from pips_tourney.workshop.browser.own_wheel import WHEEL
from tests.lab.place.opened import LEAGUE, OpenedPlace, write_bot
from tests.patience import until

AT_ONCE: Final = 300
LARGE: Final = ("mine/{version}.zip", "mine/records.zip", f"files/{WHEEL}", "mine/log.txt")
WATCHED_S: Final = 6.0
PAGE_S: Final = 1.0
"""What a page of another account may take, beside what it takes on this machine."""
PACE_S: Final = 10.0
MOST_MB: Final = 100
ENDS_S: Final = 10.0


@pytest.mark.long
@pytest.mark.xdist_group("processes")
def test_300_downloads_of_one_account_hold_up_nobody_and_a_busy_place_ends() -> None:
    with tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), 2, league=LEAGUE.replace("deals = 20", "deals = 2000"))
        place.prepare()
        try:
            place.open()
            token, version = large_version(place)
            client, _ = place.enter(place.codes["s01"])
            held: list[socket.socket] = []
            with closing(client):
                for path in LARGE:
                    held += downloads(place, path.format(version=version), token, client)
            held += [ask(place, "night/events", token) for _ in range(50)]
            begun = time.monotonic()
            assert place.process is not None
            place.process.send_signal(signal.SIGTERM)
            place.process.wait(ENDS_S)
            print(f"it ended {time.monotonic() - begun:.1f} s after SIGTERM")
            for each in held:
                each.close()
        finally:
            place.close()


def large_version(place: OpenedPlace) -> tuple[str, int]:
    """Hand in 7 MB, then a bot that plays; return its token, and the first's number."""
    program = place.student("s00")
    noise = random.Random(5).randbytes(3_500_000).hex()
    (large := place.folder / "large.py").write_text(
        "\n".join(f"# {noise[at : at + 100]}" for at in range(0, len(noise), 100))
    )
    version = program.submit(large)["id"]
    program.submit(write_bot(place.folder, 1))
    headers = {"authorization": f"Bearer {program.token}"}
    with httpx.Client(base_url=place.address, headers=headers, timeout=60) as client:
        until(lambda: len(client.get("/mine/records.zip").content) > 100_000, "no records")
    return program.token, version


def downloads(place: OpenedPlace, path: str, token: str, other: httpx.Client) -> list[socket.socket]:
    """Ask 300 times for what nobody reads; check the place meanwhile."""
    assert place.process is not None
    memory = psutil.Process(place.process.pid).memory_info
    usual, before, free = slowest(other, lambda: None), memory().rss, psutil.virtual_memory().available
    most: list[int] = []
    held = [ask(place, path, token) for _ in range(AT_ONCE)]
    took = slowest(other, lambda: most.append(memory().rss - before))
    taken = free - psutil.virtual_memory().available
    print(
        f"{path}: others' pages within {took:.2f} s (usually {usual:.2f} s), "
        f"{max(most) >> 20} MB more, the machine has {taken >> 20} MB less"
    )
    assert took < PAGE_S + 3 * usual and max(most) >> 20 <= MOST_MB
    time.sleep(PACE_S)  # more are refused until then
    for each in held[20:]:
        each.close()
    return held[:20]


def slowest(client: httpx.Client, look: Callable[[], None]) -> float:
    found, ends = 0.0, time.monotonic() + WATCHED_S
    while (begun := time.monotonic()) < ends:
        client.get("/mine").raise_for_status()
        found = max(found, time.monotonic() - begun)
        look()
        time.sleep(0.05)
    return found


def ask(place: OpenedPlace, path: str, token: str) -> socket.socket:
    """Ask for a page, and read nothing of the answer."""
    asked = socket.create_connection(("127.0.0.1", place.port))
    asked.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    asked.sendall(f"GET /{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n".encode())
    return asked
