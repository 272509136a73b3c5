"""The files of a tab: fetched once, whole or not at all."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main
from pips_tourney.workshop.browser import runtime
from pips_tourney.workshop.browser.compiled import compiled
from pips_tourney.workshop.browser.own_wheel import zipped
from pips_tourney.workshop.browser.runtime import (
    FILES,
    MEMBERS,
    WHEELS,
    NoRuntime,
    compile_modules,
    compiled_wheel,
    install,
    runtime_folder,
)  # fmt: skip

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


def test_a_folder_of_archives_is_enough(archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    ended = CliRunner().invoke(main, ["workshop", "--from", str(archives)])
    assert ended.exit_code == 0 and str(runtime_folder()) in ended.output
    assert "All works, but node is not installed on this machine" in ended.output
    names = {path.name for path in runtime_folder().iterdir()}
    assert names == {*FILES, *(f"{name}.gz" for name in FILES if name.endswith(runtime.PACKED))}
    assert (runtime_folder() / "codemirror.js").read_text() == "lib/codemirror.js"
    assert install() == runtime_folder(), "it is there: nothing is fetched"


def test_modules_are_compiled_once_where_node_is(archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here Node is one that copies; that of a tab is tried in a browser."""
    install(archives)
    own, stdlib = zipped({"pips_sdk/a.py": b"A = 1\n"}), runtime_folder() / "python_stdlib.zip"
    stdlib.write_bytes(zipped({"b.py": b"B = 2\n"}))
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(NoRuntime, match="node is not installed on this machine, so a tab takes twice the time"):
        compile_modules(own)
    monkeypatch.setattr("shutil.which", lambda _: "node")
    runs: list[int] = []

    def node(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        runs.append(len(words))
        for at in range(5, len(words), 3):
            Path(words[at + 1]).write_bytes(compiled(Path(words[at]).read_bytes(), words[at + 2], ["/x/pips_sdk/a.py"]))
        return subprocess.CompletedProcess(words, 0, "", "")

    for name in WHEELS:
        (runtime_folder() / name).write_bytes(zipped({"c.py": b""}))
    monkeypatch.setattr(subprocess, "run", node)
    compile_modules(own)
    compile_modules(own)
    compile_modules(zipped({"pips_sdk/a.py": b"A = 3\n"}))
    assert runs == [17, 14], "once for each wheel of ours, and the library's code once in all"
    newest = compiled_wheel(zipped({"pips_sdk/a.py": b"A = 3\n"}))
    assert [*runtime_folder().glob("own-*")] == [newest] and not [*runtime_folder().glob("tmp*")]
    monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 1, "", "too old\n"))
    with pytest.raises(NoRuntime, match="could not be compiled: node said\ntoo old"):
        compile_modules(zipped({}))


def test_code_in_an_archive_is_what_its_source_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"def name(): return __file__\n"
    names = ["whole_a.py", "whole_b/__init__.py", "whole_b/c.py"]
    archive = tmp_path / "modules.zip"
    archive.write_bytes(compiled(zipped(dict.fromkeys(names, text) | {"note.txt": b"n"}), str(archive)))
    monkeypatch.syspath_prepend(str(archive))
    with zipfile.ZipFile(archive) as made:
        assert sorted(made.namelist()) == ["note.txt", "whole_a.pyc", "whole_b/__init__.pyc", "whole_b/c.pyc"]
    for name in ("whole_a", "whole_b", "whole_b.c"):
        assert import_module(name).name().startswith(str(archive))


def test_code_of_a_wheel_stands_beside_the_modules_that_a_tab_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = zipped({"beside_d.py": b"VALUE = 4\n", "beside_e.py": b"VALUE = 5\n"})
    made = compiled(compiled(data, "", ["/lib/beside_d.py"]), "", ["/lib/beside_d.py"])
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
    assert len(names) == len({*names}) == 3
    (tmp_path / "beside_d.py").write_text("VALUE = 6\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert import_module("beside_d").VALUE == 4, "the code is never compared with its source"
    assert import_module("beside_e").VALUE == 5


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
