"""Invites and certificates of a host.

What is kept, what is accepted, and what a player reads.
"""

from __future__ import annotations

import io
import os
import re
import ssl
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509

from pips_tourney.cli.bot import main as pips_bot
from pips_tourney.cli.tourney import main
from pips_tourney.people.codes import Code, InviteError, mark_of, new_code
from pips_tourney.people.store import People
from pips_tourney.people.tickets import given_token
from pips_tourney.remote import certificates
from pips_tourney.remote.certificates import CertificateError, host_folder, own_files, site_files
from pips_tourney.remote.road import TLS_NAME

LEAGUE = 'games = ["serpent"]\nbots = [{ name = "ada", remote = true }, { name = "bo", sample = "random" }]\n'


@pytest.fixture
def league(tmp_path: Path) -> Path:
    (tmp_path / "night.toml").write_text(LEAGUE, encoding="utf-8")
    return tmp_path / "night.toml"


class TestGivenTokens:
    CODE = new_code(mark_of(b"a certificate"))

    def test_from_the_environment_and_no_longer_in_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIPS_TOKEN", str(self.CODE))
        assert given_token(None) == self.CODE
        assert "PIPS_TOKEN" not in os.environ, "a bot would inherit it"

    def test_from_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "token"
        file.write_text(f"{self.CODE}\n", encoding="ascii")
        monkeypatch.setenv("PIPS_TOKEN", "another")
        assert given_token(file) == self.CODE

    def test_from_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{self.CODE}\nmore"))
        assert given_token(Path("-")) == self.CODE

    def test_no_place_or_one_that_is_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PIPS_TOKEN", raising=False)
        with pytest.raises(InviteError, match=r"there is no token.*PIPS_TOKEN"):
            given_token(None)
        with pytest.raises(InviteError, match="cannot be read: No such file"):
            given_token(tmp_path / "nothing")
        with pytest.raises(InviteError, match="cannot be read: Is a directory"):
            given_token(tmp_path)

    def test_the_command_takes_the_token_out_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        taken: list[Code] = []
        monkeypatch.setattr("pips_tourney.cli.bots.author.take_part", lambda _, code, *__: taken.append(code))
        words = ["join", "127.0.0.1:7", "serpent/greedy"]
        quiet = CliRunner().invoke(pips_bot, words, env={"PIPS_TOKEN": str(self.CODE)})
        assert taken == [self.CODE]
        assert quiet.output == ""


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="No such file"):
        host_folder(tmp_path / "gone" / "night.toml")


def invites(league: Path) -> dict[str, str]:
    """By player, the hash that the host knows."""
    with People(host_folder(league)) as people:
        return people.invites()


class TestCertificates:
    def test_they_are_made_once(self, tmp_path: Path) -> None:
        first = own_files(tmp_path)
        texts = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert own_files(tmp_path) == first
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == texts

    def test_the_referees_is_good_for_its_name_and_signed_by_itself(self, tmp_path: Path) -> None:
        files = own_files(tmp_path)
        found = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        found.verify_directly_issued_by(found)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert names.get_values_for_type(x509.DNSName) == [TLS_NAME]
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(files.certificate, files.key)

    def test_that_of_pages_is_good_for_names_and_addresses(self, tmp_path: Path) -> None:
        own = own_files(tmp_path)
        files = site_files(tmp_path, ["class.example", "127.0.0.1", "localhost", "127.0.0.1"])
        found = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        found.verify_directly_issued_by(x509.load_pem_x509_certificate((tmp_path / "authority.pem").read_bytes()))
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert names.get_values_for_type(x509.DNSName) == ["class.example", "localhost"]
        assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
        assert files.key.stat().st_mode & 0o777 == 0o600
        assert own_files(tmp_path) == own  # the referee's stays

    def test_one_that_ends_soon_is_made_anew(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        files = own_files(tmp_path)
        monkeypatch.setattr(certificates, "AUTHORITY_DAYS", 20)
        files.certificate.unlink()
        soon = own_files(tmp_path).certificate.read_bytes()
        monkeypatch.undo()
        assert own_files(tmp_path).certificate.read_bytes() != soon


class TestCommands:
    def said(self, status: int, *words: str) -> str:
        result = CliRunner().invoke(main, list(words))
        assert result.exit_code == status, result.output
        return result.output

    def test_a_line_for_a_player(self, league: Path) -> None:
        line = self.said(0, "invite", str(league), "ada", "--address", "10.0.0.1:7")
        found = re.fullmatch(r"(PIPS_TOKEN=(\S+) pips-bot join 10\.0\.0\.1:7 my_bot\.py\n)", line)
        assert found is not None
        code = Code.read(found[2])
        assert invites(league) == {"ada": code.sha256}
        assert code.mark == mark_of(own_files(host_folder(league)).in_der)
        assert len(found[2]) == 29, "it can be read aloud"
        assert self.said(0, "invite", str(league), "ada").endswith(":7700 my_bot.py\n")

    def test_a_player_is_known_however_the_name_was_typed(self, league: Path) -> None:
        league.write_text(LEAGUE.replace("ada", "zo\u00eb"), encoding="utf-8")
        self.said(0, "invite", str(league), "zoe\u0308")
        assert set(invites(league)) == {"zo\u00eb"}

    @pytest.mark.parametrize(
        "address", ["nonsense", ":7700", "here:", "here:port", "here:0", "here:65536", "tcp://here:7", "a b:7"]
    )
    def test_an_address_that_is_none_voids_no_invite(self, league: Path, address: str) -> None:
        self.said(0, "invite", str(league), "ada")
        before = invites(league)
        told = " ".join(self.said(2, "invite", str(league), "ada", "--address", address).split())
        assert f"Invalid value for --address: {address}: write HOST:PORT, such as 192.168.0.5:7700" in told
        assert invites(league) == before

    def test_who_is_invited_and_not_any_more(self, league: Path) -> None:
        assert self.said(0, "invite", str(league)) == "ada: not invited\n"
        self.said(0, "invite", str(league), "ada")
        assert self.said(0, "invite", str(league)) == "ada: invited\n"
        assert "is not invited any more" in self.said(0, "invite", str(league), "ada", "--revoke")
        assert "was not invited" in self.said(0, "invite", str(league), "ada", "--revoke")

    def test_only_remote_bots_are(self, league: Path) -> None:
        assert "no bot called bo with `remote = true`; there are ada" in self.said(2, "invite", str(league), "bo")
        league.write_text(LEAGUE.replace("remote = true", 'sample = "greedy"'), encoding="utf-8")
        assert "there is none: write" in self.said(2, "invite", str(league), "bo")

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["--dial", "here"], "write HOST:PORT, such as 0.0.0.0:7700"),
            (["--dial", "192.0.2.7:7700"], "one cannot listen at 192.0.2.7:7700"),
            (["--roster", __file__], "--roster: it is for a place"),
        ],
    )
    def test_a_host_that_cannot_be(self, league: Path, words: list[str], told: str) -> None:
        assert told in self.said(2, "serve", str(league), *words)

    def test_a_night_with_remote_bots_is_hosted(self, league: Path, tmp_path: Path) -> None:
        told = self.said(2, "run", str(league), "--db", str(tmp_path / "night.db"))
        assert "ada play from other machines" in told
