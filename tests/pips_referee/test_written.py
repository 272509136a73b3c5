"""What people write is read as their editors save it."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from pips_referee.written import written_text


@pytest.mark.parametrize(
    "mark",
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends_of_any_editor(tmp_path: Path, mark: tuple[bytes, str], ends: str) -> None:
    (tmp_path / "a").write_bytes(mark[0] + f"Jürgen{ends}王{ends}".encode(mark[1]))
    assert written_text(tmp_path / "a") == "Jürgen\n王\n"


def test_what_is_no_text_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("Jürgen".encode("latin-1"))
    with pytest.raises(UnicodeDecodeError):
        written_text(tmp_path / "a")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_file_without_an_end_is_an_error(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_referee.written._MOST", 1000)
    with pytest.raises(OSError, match="File too large"):
        written_text(Path(device))
