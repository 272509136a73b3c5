"""`pips-referee`: what it prints, and how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_referee.cli import main
from pips_referee.game import REGISTRY, get_game


def call(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


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
        async def serve(*_: object, tls: object) -> None:
            assert tls == (b"cert", b"key")

        monkeypatch.setattr("pips_referee.service.serve.serve_forever", serve)
        (tmp_path / "cert").write_bytes(b"cert")
        (tmp_path / "key").write_bytes(b"key")
        words = ["--tls-cert", f"{tmp_path}/cert", "--tls-key", f"{tmp_path}/key"]
        assert call("serve", "--bots", "0.0.0.0:1", "--organiser", f"unix:{tmp_path}/o", *words).exit_code == 0
        beside = ["--bots", f"unix:{tmp_path}/b", "--bots", "0.0.0.0:1", "--organiser", f"unix:{tmp_path}/o"]
        assert call("serve", *beside, *words).exit_code == 0
        assert "without TLS" in call("serve", *beside).stderr

    @pytest.mark.parametrize("gives_key", [True, False])
    def test_it_says_ready_and_signs_tokens_with_the_key_it_was_given_or_one_of_its_own(
        self, gives_key: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        keys: list[bytes] = []

        async def serve(
            bots: tuple[str, ...], organiser: str, key: bytes, grace_s: float, on_ready: Callable[[], None], **_: object
        ) -> None:
            assert (bots, organiser) == (("localhost:1",), f"unix:{tmp_path}/o")
            keys.append(key)
            on_ready()

        monkeypatch.setattr("pips_referee.service.serve.serve_forever", serve)
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
