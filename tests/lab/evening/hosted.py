"""Two hosted nights over TLS, with guests on this machine."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import Final

from tests.e2e.desk import wait_until
from tests.e2e.test_remote import Hall
from tests.lab.evening.room import Findings, Room, serving
from tests.patience import PATIENCE_S

REMOTE: Final = ("ada", "bo")


def nights(room: Room, found: Findings) -> None:
    """A lobby on the projector, guests that are stopped, and two nights."""
    hall = Hall(room.desk, *REMOTE, deals=4, house='[[bots]]\nname = "base"\nsample = "random"\n')
    text = (room.folder / "night.toml").read_text(encoding="utf-8")
    room.write("hall.toml", text.replace('"serpent"', '"serpent", "wichita"'))
    with found.step("W17"):
        room.type("invite", "hall.toml", "--all", "--address", f"127.0.0.1:{hall.port}")
        sheet = (room.folder / "hall-invites.html").read_text(encoding="utf-8")
        assert sheet.count("<svg") == len(REMOTE)
        found.shown("W17", "`invite --all` writes one sheet, with a QR code each")
    with found.step("W14"):
        _stopped_while_it_waits(hall, found)
    for number in (1, 2):
        _night(room, hall, found, number)


def _stopped_while_it_waits(hall: Hall, found: Findings) -> None:
    """There is no host yet when SIGTERM comes, and then when SIGINT comes."""
    for stop in (signal.SIGTERM, signal.SIGINT):
        waiting = hall.join("ada", "serpent/greedy")
        assert waiting.stdout is not None
        assert "There is no host" in waiting.stdout.readline()
        _ended(waiting, stop)
    found.shown("W14", "`join` that waits ends with 130 and a sentence on SIGTERM and SIGINT")


def _ended(process: subprocess.Popen[str], stop: signal.Signals) -> None:
    process.send_signal(stop)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, f"{stop.name}: exit code {process.returncode}: {err[-200:]}"
    assert "Traceback" not in err and "Aborted" not in err and "You have left" in out, f"{stop.name}: {out} {err}"


def _night(room: Room, hall: Hall, found: Findings, number: int) -> None:
    """A hosted night; in the first one a guest is stopped and joins again."""
    words = (
        "serve",
        "hall.toml",
        "--listen",
        "127.0.0.1:0",
        "--dial",
        f"127.0.0.1:{hall.port}",
        "--start-when-all-here",
    )
    with serving(room, *words, "--no-stay", *(["--new"] if number > 1 else []), name=f"hall{number}") as pages:
        with found.step("W15"):
            lobby = pages.get()
            assert lobby[0] == 200, "no page before the night"
        first = _joined(room, hall, "ada")
        if number == 1:
            with found.step("W15"):
                wait_until(lambda: "ada is here" in pages.text(), "ada is not in the lobby")
                said = room.type("status", "hall.db").said
                assert "Guests here: ada (since" in said and "not here: bo (never seen)" in said, said[:300]
                found.shown("W15", "the lobby has a page before the first result, and `status` says who is here")
            with found.step("W14"):
                _ended(first, signal.SIGTERM)
                found.shown("W14", "`join` that is connected ends with 130 and a sentence")
            first = _joined(room, hall, "ada")
        second = _joined(room, hall, "bo")
        assert pages.process.wait(PATIENCE_S) == 0, pages.text()[-500:]
        for guest in (first, second):
            out, _ = guest.communicate(timeout=PATIENCE_S)
            assert guest.returncode == 0 and "The night is over" in out
    tables = json.loads(room.type("standings", "hall.db", "--json").out)["tables"]
    assert len(tables) == 3 and all(table["counted"] == table["scheduled"] > 0 for table in tables)
    found.shown("W17", "a sample bot joins a hosted night of two games")
    room.type("verify", "hall.db")


def _joined(room: Room, hall: Hall, player: str) -> subprocess.Popen[str]:
    line = room.type("invite", "hall.toml", player, "--address", f"127.0.0.1:{hall.port}").out
    return hall.join_by(line.split(), "greedy")
