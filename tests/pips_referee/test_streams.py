"""What commands do where their standard streams are closed, full, ended or narrow.

Descriptors belong to processes, so these start some.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from pips_referee.command import streams

HEAD = (
    "import click, os; from pips_referee.command.interrupted import Commands\nmain = Commands('x')\n@main.command()\n"
)
COMMAND = HEAD + "def show():\n    click.echo('progress', err=True)\n    click.echo('standings')\nmain(['show'])"
NARROW = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def sh(words: str, code: str = COMMAND, **env: str) -> tuple[int, bytes, str]:
    """Run Python code in a shell that redirects it as `words` say."""
    ran = subprocess.run(
        ["bash", "-c", f'"$0" -c "$1" {words}; exit ${{PIPESTATUS[0]}}', sys.executable, code],
        capture_output=True, env={**os.environ, **env}, check=False, timeout=60,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr.decode()


@pytest.mark.parametrize(
    ("words", "said"),
    [(">&-", streams.CLOSED), ("> /dev/full", "No space left on device"), ("| sleep 0", "Broken pipe")],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_takes_nothing_ends_with_a_sentence_and_2(words: str, said: str, unbuffered: str) -> None:
    code = COMMAND
    if words.startswith("|"):
        code = "import select; end = select.poll(); end.register(1, 0); end.poll(9000)\n" + code  # until nobody reads
    status, _, stderr = sh(words, code, PYTHONUNBUFFERED=unbuffered)
    assert status == 2
    assert "Error: standard output " in stderr
    assert said in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize("words", ["2>&-", "2> /dev/full", "<&-", "<&- 2>&-"])
def test_other_streams_that_are_closed_or_full_change_nothing(words: str) -> None:
    assert sh(words)[:2] == (0, b"standings\n")


def test_closed_streams_leave_their_numbers_to_no_database() -> None:
    code = HEAD + "def opened():\n    click.echo(os.open('/dev/zero', 0) > 2)\nmain(['opened'])"
    assert sh("<&- 2>&-", code)[1] == b"True\n"


@pytest.mark.parametrize("env", [NARROW, {"PYTHONIOENCODING": "cp1252"}, {"PYTHONIOENCODING": "latin-1"}])
def test_what_a_locale_cannot_write_is_written_in_ascii(env: dict[str, str]) -> None:
    shown = ascii("Q♠ 10♥ ⚅ 王 \udcfc")
    code = HEAD + f"def show():\n    click.echo({shown}); print({'A♦'!a})\nmain(['show'])"
    status, stdout, stderr = sh("", code, **env)
    assert (status, stderr) == (0, "")
    assert stdout.split() == [b"QS", b"10H", b"6", rb"\u738b", rb"\udcfc", b"AD"]


def test_escapes_that_json_reads() -> None:
    text = io.TextIOWrapper(io.BytesIO(), "ascii", streams.IN_ASCII)
    text.write(json.dumps(["王"], ensure_ascii=False))
    text.seek(0)
    assert json.loads(text.read()) == ["王"]
