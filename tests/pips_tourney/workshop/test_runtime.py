"""The files of a tab: fetched once, whole or not at all."""

from __future__ import annotations

import io
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main
from pips_tourney.workshop import runtime
from pips_tourney.workshop.runtime import FILES, MEMBERS, WHEELS, NoRuntime, install, runtime_folder

NPM_FILES = {"pyodide": MEMBERS[:4], "codemirror": MEMBERS[4:]}


def tgz(members: tuple[str, ...]) -> bytes:
    """A package of npm with these files, and with others."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as archive:
        for name in (*members, "README.md", "../../outside.js"):
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(name)
            archive.addfile(info, io.BytesIO(name.encode()))
    return into.getvalue()


@pytest.fixture
def archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of small archives under their true names."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, digests = tmp_path / "archives", {}
    folder.mkdir()
    for name in runtime.ARCHIVES:
        data = name.encode() if name in WHEELS else tgz(NPM_FILES[name.partition("-")[0]])
        (folder / name).write_bytes(data)
        digests[name] = sha256(data).hexdigest()
    monkeypatch.setattr(runtime, "ARCHIVES", digests)
    return folder


def test_a_folder_of_archives_is_enough(archives: Path) -> None:
    ended = CliRunner().invoke(main, ["workshop", "--from", str(archives)])
    assert ended.exit_code == 0 and str(runtime_folder()) in ended.output
    names = {path.name for path in runtime_folder().iterdir()}
    assert names == {*FILES, *(f"{name}.gz" for name in FILES if name.endswith(runtime.PACKED))}
    assert (runtime_folder() / "codemirror.js").read_text() == "lib/codemirror.js"
    assert install() == runtime_folder(), "it is there: nothing is fetched"


def test_what_was_not_published_so_is_refused(archives: Path) -> None:
    (archives / WHEELS[0]).write_bytes(b"another")
    with pytest.raises(NoRuntime, match="is not the file that was published under this name"):
        install(archives)
    (archives / WHEELS[0]).unlink()
    with pytest.raises(NoRuntime, match=f"has no {WHEELS[0]}"):
        install(archives)
    assert not runtime_folder().exists()


def test_without_npm_or_a_network_it_says_what_to_do(archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(NoRuntime, match=r"apt-get install npm\), or put pyodide-.*\.tgz, codemirror-.* with --from"):
        install()
    monkeypatch.setattr("shutil.which", lambda _: "npm")
    words: list[list[str]] = []

    def run(given: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        words.append(given)
        return subprocess.CompletedProcess(given, int("pip" in given), "", "no network\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(NoRuntime, match=r"could not be fetched: .* -m pip said\nno network"):
        install()
    npm, pip = words
    assert [word for word in npm if "@" in word] == ["pyodide@314.0.7", "codemirror@5.65.21"]
    assert [word for word in pip if "==" in word] == ["msgspec==0.22.0", "protobuf==6.33.6"]


def test_a_cache_that_cannot_be_written_is_named(archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archives / "file"
    file.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    with pytest.raises(NoRuntime, match="cannot be written: Not a directory"):
        install(archives)


def test_the_command_says_what_is_missing(archives: Path) -> None:
    ended = CliRunner().invoke(main, ["workshop"])
    assert ended.exit_code == 2 and "fetches them once: pips-bot workshop --install" in ended.output
