"""`pips-referee`: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_referee.cli import main
from pips_referee.game import REGISTRY, get_game
from pips_referee.record import read_record
from pips_referee.replay import replay_text
from tests.records import random_record


def call(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A file with a match of Serpent."""
    path = tmp_path / "match.pips"
    path.write_bytes(random_record())
    return path


@pytest.fixture
def tampered(tmp_path: Path) -> Path:
    """A file whose last answer is missing."""
    path = tmp_path / "tampered.pips"
    data = bytearray(random_record())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    return path


class TestReplay:
    def test_the_truth(self, record: Path) -> None:
        result = call("replay", record)
        assert result.exit_code == 0
        assert result.stdout.splitlines() == list(replay_text(read_record(record.read_bytes())))

    def test_what_one_seat_saw(self, record: Path) -> None:
        result = call("replay", record, "--seat", "1")
        assert result.exit_code == 0
        assert "seat 1: bot1 (you)" in result.stdout

    @pytest.mark.parametrize("seat", [[], ["--seat", "0"]])
    def test_one_json_object_a_line(self, record: Path, seat: list[str]) -> None:
        result = call("replay", record, "--json", *seat)
        assert result.exit_code == 0
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert [lines[0]["line"], lines[-1]["line"]] == ["header", "outcome"]
        assert lines[0].get("seat") == (0 if seat else None)

    def test_standard_input(self, record: Path) -> None:
        assert call("replay", "-", stdin=record.read_bytes()).stdout == call("replay", record).stdout

    def test_a_seat_that_nobody_has(self, record: Path) -> None:
        result = call("replay", record, "--seat", "2")
        assert result.exit_code == 2
        assert "the match has seats 0 to 1" in result.stderr

    def test_what_is_no_record(self, tmp_path: Path) -> None:
        path = tmp_path / "letter.txt"
        path.write_text("Dear referee")
        result = call("replay", path)
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: this is no match record")

    def test_a_record_that_does_not_replay_is_shown_as_far_as_it_goes(self, tampered: Path) -> None:
        result = call("replay", tampered)
        assert result.exit_code == 1
        assert "seat 0 (bot0), question 1" in result.stdout
        assert "Error: match a-match-of-serpent: it claims" in result.stderr

    def test_a_file_that_is_not_there(self) -> None:
        assert call("replay", "nowhere.pips").exit_code == 2


class TestVerify:
    def test_a_good_record_is_named(self, record: Path) -> None:
        questions = read_record(record.read_bytes()).outcome.questions
        result = call("verify", record)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"{record}: match a-match-of-serpent verified, {questions} questions\n"

    def test_of_several_every_bad_one_is_named_with_what_differs(self, record: Path, tampered: Path) -> None:
        result = call("verify", tampered, record, tampered)
        assert result.exit_code == 1
        assert result.stdout.count("verified") == 1
        assert result.stderr.count(f"{tampered}: match a-match-of-serpent: it claims questions") == 2

    def test_standard_input(self, record: Path) -> None:
        result = call("verify", "-", stdin=record.read_bytes())
        assert (result.exit_code, result.stdout.partition(":")[0]) == (0, "-")

    def test_no_file_at_all(self) -> None:
        assert call("verify").exit_code == 2


class TestRules:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_the_rulebook(self, game: str) -> None:
        result = call("rules", game)
        assert result.exit_code == 0
        assert result.stdout == get_game(game).rulebook()

    def test_a_game_that_there_is_not(self) -> None:
        result = call("rules", "poker")
        assert result.exit_code == 2
        assert all(game in result.stderr for game in REGISTRY)


class TestServe:
    @pytest.mark.parametrize(
        ("option", "says"),
        [
            ("--bots", "0.0.0.0:7000: without TLS a referee listens on unix:PATH or a loopback address only"),
            ("--organiser", "0.0.0.0:7000: whoever dials the organiser's address runs the night"),
        ],
    )
    def test_only_where_nobody_else_can_listen(self, option: str, says: str, tmp_path: Path) -> None:
        addresses = {"--bots": f"unix:{tmp_path}/bots", "--organiser": f"unix:{tmp_path}/organiser"}
        addresses[option] = "0.0.0.0:7000"
        result = call("serve", *[word for pair in addresses.items() for word in pair])
        assert result.exit_code == 2
        assert says in " ".join(result.stderr.split())

    def test_a_certificate_needs_its_key(self, tmp_path: Path) -> None:
        certificate = tmp_path / "cert.pem"
        certificate.write_bytes(b"")
        words = ["--bots", "0.0.0.0:1", "--organiser", f"unix:{tmp_path}/o", "--tls-cert", str(certificate)]
        result = call("serve", *words)
        assert result.exit_code == 2
        assert "--tls-cert and --tls-key go together" in result.stderr

    def test_with_a_certificate_bots_may_dial_in_from_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def serve(*_: object, tls: object, most_connections: int) -> None:
            assert (tls, most_connections) == ((b"cert", b"key"), 7)

        monkeypatch.setattr("pips_referee.serve.serve_forever", serve)
        (tmp_path / "cert").write_bytes(b"cert")
        (tmp_path / "key").write_bytes(b"key")
        words = ["--tls-cert", f"{tmp_path}/cert", "--tls-key", f"{tmp_path}/key", "--most-connections", "7"]
        assert call("serve", "--bots", "0.0.0.0:1", "--organiser", f"unix:{tmp_path}/o", *words).exit_code == 0
        beside = ["--bots", f"unix:{tmp_path}/b", "--also", "0.0.0.0:1", "--organiser", f"unix:{tmp_path}/o"]
        assert call("serve", *beside, *words).exit_code == 0
        assert "without TLS" in call("serve", *beside).stderr

    @pytest.mark.parametrize("gives_key", [True, False])
    def test_it_says_ready_and_signs_tokens_with_the_key_it_was_given_or_one_of_its_own(
        self, gives_key: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        keys: list[bytes] = []

        async def serve(
            bots: list[str], organiser: str, key: bytes, grace_s: float, on_ready: Callable[[], None], **_: object
        ) -> None:
            assert (bots, organiser) == (["localhost:1"], f"unix:{tmp_path}/o")
            keys.append(key)
            on_ready()

        monkeypatch.setattr("pips_referee.serve.serve_forever", serve)
        given = ["--key-fd", str(pipe_with(b"k" * 40))] if gives_key else []
        result = call("serve", "--bots", "localhost:1", "--organiser", f"unix:{tmp_path}/o", *given)
        assert (result.exit_code, result.stdout) == (0, "ready\n")
        assert len(keys[0]) == 32
        assert (keys[0] == b"k" * 32) == gives_key

    def test_a_key_that_is_too_short(self, tmp_path: Path) -> None:
        addresses = ["--bots", "unix:b", "--organiser", f"unix:{tmp_path}/o"]
        result = call("serve", *addresses, "--key-fd", str(pipe_with(b"short")))
        assert result.exit_code == 2
        assert "gave 5 bytes; the key is 32" in result.stderr


def pipe_with(data: bytes) -> int:
    """The reading end of a pipe that holds these bytes."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading
