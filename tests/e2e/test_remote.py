"""Nights with guests over TLS, through networks that are slow, cut, stalled or gone."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest
from click.testing import CliRunner

from pips.v1 import record_pb2
from pips_tourney.cli.tourney import main
from pips_tourney.workshop.begin.new_bot import js_sdk
from tests.e2e.desk import Desk, finish, kill, wait_for_results, wait_until
from tests.e2e.proxy import Proxy
from tests.needs import needs

PIPS_BOT = ("-c", "from pips_tourney.cli.bot import main; main()")
JS = js_sdk().parents[1] / "sample_bots" / "js" / "random_bot.js"
BO = '[[bots]]\nname = "bo"\nsample = "random"\n'
CLOCK = "clock = { answer_ms = 10000 }"
"""Enough time for guests, whose machine is not observed; here all share one machine."""
HOST_WORDS = ("--start-when-all-here", "--secret-file", "secret")


class Hall:
    """A desk with a host and its players' joins, some through networks of their own."""

    def __init__(
        self, desk: Desk, *players: str, deals: int, more: str = "", clock: str = CLOCK, house: str = ""
    ) -> None:
        self.desk, self.proxies = desk, list[Proxy]()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        bots = "".join(f'[[bots]]\nname = "{player}"\nremote = true\n' for player in players)
        settings = f'games = ["serpent"]\ndeals = {{ count = {deals} }}\ntables = 4\n{clock}\n{more}\n'
        (desk.folder / "night.toml").write_text(settings + bots + house, encoding="utf-8")

    def host(self, *words: str) -> subprocess.Popen[str]:
        return self.desk.begin(
            "serve", "night.toml", "--listen", "127.0.0.1:0", "--dial", f"127.0.0.1:{self.port}", *HOST_WORDS, *words
        )

    def proxy(self, delay_s: float = 0.0) -> Proxy:
        proxy = Proxy(self.port, delay_s)
        self.proxies.append(proxy)
        return proxy

    def line(self, player: str, port: int) -> list[str]:
        """Return the words that the player is given."""
        words = ["invite", str(self.desk.folder / "night.toml"), player, "--address", f"127.0.0.1:{port}"]
        return CliRunner().invoke(main, words).output.splitlines()[0].split()

    def join(self, player: str, bot: str, proxy: Proxy | None = None) -> subprocess.Popen[str]:
        return self.join_by(self.line(player, proxy.port if proxy else self.port), bot)

    def join_by(self, line: list[str], bot: str) -> subprocess.Popen[str]:
        """Join with the words that a player was given."""
        given, program, command, address, own = line
        assert (program, command, own) == ("pips-bot", "join", "my_bot.py")
        file = self.desk.folder / f"{len(list(self.desk.folder.glob('*.token')))}.token"
        file.write_text(given.removeprefix("PIPS_TOKEN="), encoding="ascii")
        return self.desk.begin(command, address, "--token-file", str(file), bot, program=PIPS_BOT)

    def records(self) -> list[record_pb2.MatchRecord]:
        with closing(sqlite3.connect(self.desk.folder / "night.db")) as connection:
            found = connection.execute("SELECT record FROM results").fetchall()
        return [record_pb2.MatchRecord.FromString(record) for (record,) in found]

    def verified(self, matches: int) -> None:
        assert self.desk.tell("verify", "night.db").startswith(f"{matches} results verified")


@pytest.fixture
def halls() -> Iterator[list[Hall]]:
    opened: list[Hall] = []
    yield opened
    for hall in opened:
        for proxy in hall.proxies:
            proxy.close()


def faults(out: str) -> dict[str, dict[str, int]]:
    """Return the faults by bot, from the standings."""
    (table,) = (table for table in json.loads(out)["tables"] if table["label"] == "serpent")
    assert table["scheduled"] == table["played"] == table["counted"]
    return {row["bot"]: row["faults"] for row in table["rows"]}


@needs("node")
@pytest.mark.long
def test_a_night_of_laptops_of_which_one_is_cut_off_and_one_goes_home(desk: Desk, halls: list[Hall]) -> None:
    hall = Hall(desk, "ada", "bo", "js", "dee", deals=4, more="remote = { grace_s = 12, drops = 9, rtt_ms = 50 }")
    halls.append(hall)
    slow, shaky = hall.proxy(delay_s=0.01), hall.proxy(delay_s=0.01)
    old = hall.line("bo", hall.port)  # bo's next invite replaces this one
    joined = {
        "ada": hall.join("ada", "serpent/greedy", shaky),
        "bo": hall.join("bo", "serpent/cautious"),
        "js": hall.join("js", str(JS)),
        "dee": hall.join("dee", "serpent/greedy", slow),
    }
    host = hall.host()
    _, err = finish(hall.join_by(old, "serpent/greedy"), 2)
    assert "this invite is not known here" in err
    wait_for_results(desk, 2)
    shaky.cut()
    slow.leave()
    _, err = finish(host)
    out = desk.tell("standings", "night.db", "--json")
    wrong = faults(out)
    assert (wrong["ada"], wrong["bo"], wrong["js"]) == ({}, {}, {})
    assert set(wrong["dee"]) == {"disconnect"}
    assert "dee has gone" in err
    for player in ("ada", "bo", "js"):
        told, _ = finish(joined[player])
        assert "Your bot's check passed." in told
        assert "The night is over: 12 matches, " in told
    hall.verified(24)
    assert_once_and_balanced(hall)
    assert_way_is_credited(hall, "ada", 20_000, 50_000)
    kill(joined["dee"], signal.SIGTERM)
    joined["dee"].communicate()
    desk.assert_nothing_is_left()


def assert_once_and_balanced(hall: Hall) -> None:
    """Check that every two bots met at four deals, twice in each seat."""
    pairs = [tuple(record.header.seats) for record in hall.records()]
    assert {pairs.count(pair) for pair in pairs} == {2}
    assert len({record.header.seed for record in hall.records()}) == len(pairs)


def assert_way_is_credited(hall: Hall, player: str, least_us: int, most_us: int) -> None:
    credited_us = [
        answer.wire_us * max(1, answer.shared_by)
        for record in hall.records()
        for answer in record.answers
        if record.header.seats[answer.seat] == player
    ]
    assert least_us <= max(credited_us) <= most_us + 5


def test_a_decision_that_leaves_nothing_to_play_sends_the_guests_home(desk: Desk, halls: list[Hall]) -> None:
    hall = Hall(desk, "ada", deals=2000, house=BO)
    halls.append(hall)
    joined, host = hall.join("ada", "serpent/greedy"), hall.host()
    wait_for_results(desk, 2)
    desk.tell("withdraw", "night.db", "bo", "--reason", "it went to bed")
    finish(host)
    told, _ = finish(joined)
    assert "The night is over" in told
    desk.assert_nothing_is_left()


@pytest.mark.long
def test_a_host_that_is_killed_is_begun_again_and_the_bots_are_still_there(desk: Desk, halls: list[Hall]) -> None:
    """The director decides something in the second host's night.

    That makes another arena, and the bots come back to it.
    """
    hall = Hall(desk, "ada", deals=40, house=BO)
    halls.append(hall)
    joined = hall.join("ada", "serpent/greedy", hall.proxy(delay_s=0.005))
    first = hall.host()
    wait_for_results(desk, 2)
    kill(first)
    stored = desk.results()
    assert stored < 40
    second = hall.host()
    wait_for_results(desk, stored)
    (match,) = (record.header.match_id for record in hall.records()[:1])
    desk.tell("annul", "night.db", match, "--reason", "it was played before supper")
    _, err = finish(second)
    assert f"{40 - stored} of 40 matches to play" in err
    assert faults(desk.tell("standings", "night.db", "--json")) == {"ada": {}, "bo": {}}
    told, _ = finish(joined)
    assert "The connection to the host is lost." in told
    assert "Connected again" in told
    hall.verified(40)
    desk.assert_nothing_is_left()


def test_a_network_that_stands_still_costs_matches_and_nothing_more(desk: Desk, halls: list[Hall]) -> None:
    """Neither end is informed: the clocks run, both ends notice, the bot comes back."""
    clock, grace = "clock = { answer_ms = 3000 }", "remote = { grace_s = 20 }"
    hall = Hall(desk, "ada", deals=10, more=grace, clock=clock, house=BO)
    halls.append(hall)
    shaky = hall.proxy(delay_s=0.005)
    joined = hall.join("ada", "serpent/greedy", shaky)
    host = hall.host()
    wait_for_results(desk, 2)
    dialled = shaky.taken
    shaky.stall()
    wait_until(lambda: shaky.taken > dialled, "nobody noticed")
    shaky.flow()
    finish(host)
    out = desk.tell("standings", "night.db", "--json")
    assert set(faults(out)["ada"]) <= {"timeout", "disconnect"}
    assert sum(faults(out)["ada"].values()) < 8
    finish(joined)
    hall.verified(10)
    desk.assert_nothing_is_left()


def test_a_bot_that_cannot_start_is_given_up(desk: Desk, halls: list[Hall]) -> None:
    hall = Hall(desk, "ada", deals=1, house=BO)
    halls.append(hall)
    (desk.folder / "broken.py").write_text("from pips_sdk import run\nrun()\n", encoding="utf-8")
    joined = hall.join("ada", f"python {desk.folder}/broken.py")
    host = hall.host()
    _, err = finish(joined, 2)
    assert "the bot ended 3 times just after its start, the last time with status 2" in err
    kill(host, signal.SIGINT)
    host.communicate()
    assert not desk.named("broken.py")
    desk.assert_nothing_is_left()


def test_the_files_of_a_host_are_for_its_owner_alone(desk: Desk, halls: list[Hall]) -> None:
    hall = Hall(desk, "ada", deals=1, house=BO)
    token = hall.line("ada", hall.port)[0].removeprefix("PIPS_TOKEN=")
    folder = desk.folder / "night.host"
    assert folder.stat().st_mode & 0o077 == 0
    assert {path.name for path in folder.iterdir()} == {"referee.pem", "referee.key", "place.db"}
    assert all(token.encode() not in path.read_bytes() for path in folder.iterdir())
    assert all((folder / name).stat().st_mode & 0o077 == 0 for name in ("referee.key", "place.db"))
