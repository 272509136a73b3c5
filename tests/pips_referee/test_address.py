"""Addresses as people write them, for every command that takes one."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.command.address import is_loopback, read_address
from pips_tourney.cli.places import serve_league as serve_module
from pips_tourney.cli.tourney import main


@pytest.mark.parametrize(
    ("text", "host", "shown"),
    [
        ("::1:7700", "::1", "[::1]:7700"),
        ("[::1]:7700", "::1", "[::1]:7700"),
        ("0.0.0.0:7700", "0.0.0.0", "0.0.0.0:7700"),
        (":::7700", "::", "[::]:7700"),
        ("[fe80::1%eth0]:7700", "fe80::1%eth0", "[fe80::1%eth0]:7700"),
        (" class.example:7700 ", "class.example", "class.example:7700"),
    ],
)
def test_one_form_of_every_address(text: str, host: str, shown: str) -> None:
    address = read_address(text)
    assert address is not None
    assert (address.host, address.port, str(address)) == (host, 7700, shown)


@pytest.mark.parametrize("text", ["", ":", "7700", ":7700", "a:", "a:0", "a:65536", "a:-1", "a:٣", "a b:1", "a/b:1", "a:b:1", "[a:1", "[]:1"])  # fmt: skip  # noqa: E501, RUF100
def test_what_is_no_address(text: str) -> None:
    assert read_address(text) is None


def test_loopback_in_any_form() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "::1", "[::1]")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "example", "")))


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_host_listens_where_serve_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee gets an address that it can bind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.toml").write_text(
        'name = "H"\ngames = ["serpent"]\nbots = [{ name = "a", remote = true }, { name = "b", remote = true }]\n'
    )
    seen = []
    monkeypatch.setattr(serve_module, "play_and_show", lambda config, *_, **__: seen.append(config.hosting.listen))
    for said in ("::1:17701", "[::1]:17701"):
        CliRunner().invoke(main, ["serve", "h.toml", "--dial", said], catch_exceptions=False)
    assert seen == ["[::1]:17701"] * 2
