"""What a place looks at before it opens, and the invites that it writes."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pips_tourney.people.store import People
from pips_tourney.place.desk.invites import write_invites
from pips_tourney.place.serve import PlaceConfig, _move_invites, organiser_code, serve_place
from pips_tourney.sandbox.tiers import SandboxError
from tests.pips_tourney.fences import hide_fences
from tests.pips_tourney.in_process import write_league


def test_a_machine_without_a_fence_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Though all bots of its league are samples: others will come."""
    hide_fences(monkeypatch)
    config = PlaceConfig(write_league(tmp_path, "ada", "bo"), tmp_path / "class.db", "http://here/")
    with (
        socket.socket() as listener,
        pytest.raises(SandboxError, match=r"whatever is handed in is .* Install bubblewrap"),
    ):
        serve_place(config, listener, lambda _: None)
    assert not config.folder.exists()


def test_the_organisers_link_outlives_a_start_unless_its_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "organiser.txt"
    with People(tmp_path) as people:
        first = organiser_code(people)
        assert organiser_code(people) == first == file.read_text().strip() and people.enter(first)
        assert file.stat().st_mode & 0o777 == 0o600
        file.write_text("K7QF-2M9T-XA4C-0\n")
        second = organiser_code(people)
        file.unlink()
        third = organiser_code(people)
        assert len({first, second, third}) == 3 and people.enter(first) is people.enter(second) is None


def test_invites_are_added_to_a_file_of_ones_own(tmp_path: Path) -> None:
    assert PlaceConfig(Path("class.toml"), tmp_path / "class.db", "").folder == tmp_path / "class-place"
    path, _ = [write_invites(tmp_path, [{"name": name, "code": "code"}]) for name in ("Ada", "=Bo")]
    assert path.read_text().splitlines() == ["name,code", "Ada,code", "'=Bo,code"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_a_spreadsheet_wrote_in_its_own_way_is_kept(tmp_path: Path) -> None:
    assert not write_invites(tmp_path, [], gone=["Ada"]).exists()
    file = tmp_path / "invites.csv"
    file.write_bytes("name,code\r\nZoë,AB-CD\r\nBo,AB-CE\r\n".encode("cp1252"))
    write_invites(tmp_path, [{"name": "Ada", "code": "AB-CF"}], gone=["Bo"])
    assert file.read_bytes().decode("cp1252").splitlines() == ["name,code", "Zoë,AB-CD", "Ada,AB-CF"]


def test_the_links_in_the_file_follow_the_address(tmp_path: Path) -> None:
    """Codes stay: another `--listen` needs no new invites."""
    file = tmp_path / "invites.csv"
    _move_invites(file, "http://10.0.0.5:8080/")
    assert not file.exists()
    old = "http://classroom:8080/enter#AB-CD"
    lines = ("Ada", "AB-CD", old), ("Bo", "AB-CE", "")
    write_invites(tmp_path, [dict(zip(("name", "code", "link"), line, strict=True)) for line in lines])
    _move_invites(file, "https://a.org/pips/")
    assert file.read_text().splitlines()[1:] == ["Ada,AB-CD,https://a.org/pips/enter#AB-CD", "Bo,AB-CE,"]
    file.write_bytes("Zoë,AB-CD,https://a.org/enter#AB-CD\r\n".encode("cp1252"))  # saved by a spreadsheet
    _move_invites(file, "http://b/")
    assert file.read_bytes().decode("cp1252") == "Zoë,AB-CD,http://b/enter#AB-CD\r\n"
    assert file.stat().st_mode & 0o777 == 0o600
