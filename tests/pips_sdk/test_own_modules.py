"""Two bots in one process whose modules have the same names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from pips_sdk.run_file import load_bots

IMPORTS = {
    "early": ("import strategy", ""),
    "late": ("", "import strategy"),
    "from": ("", "import strategy; from strategy import NAME"),
    "by name": ("import importlib", "strategy = importlib.import_module('strategy')"),
    "package": ("", "import brain.cells as strategy"),
    "by pickle": ("import pickle", "strategy = pickle.loads(b'cstrategy\\nKept\\n.')"),
    "of a helper": ("import helper", "strategy = helper.late()"),
}
BOT = """
from pips_sdk.serpent import SerpentBot
{early}
class Mine(SerpentBot):
    def whose(self):
        {late}
        return strategy.NAME
"""


@pytest.mark.parametrize("kind", IMPORTS)
def test_an_import_is_of_the_bot_that_imports(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    early, late = IMPORTS[kind]
    asked: list[Callable[[], str]] = []
    for name in ("a", "b"):
        (tmp_path / name / "brain").mkdir(parents=True)
        (tmp_path / name / "brain" / "__init__.py").touch()
        for file in ("strategy.py", "brain/cells.py"):
            (tmp_path / name / file).write_text(f"NAME = {name!r}\nclass Kept:\n    NAME = {name!r}\n")
        (tmp_path / name / "helper.py").write_text("def late():\n    import strategy\n    return strategy\n")
        (tmp_path / name / "bot.py").write_text(BOT.format(early=early, late=late or "pass"))
    names, path = set(sys.modules), sys.path.copy()
    for name in ("a", "b"):
        [bot] = load_bots(tmp_path / name / "bot.py")
        asked.append(bot().whose)  # type: ignore[attr-defined]
    for _ in range(2):
        assert [each() for each in asked] == ["a", "b"]
    if kind == "by pickle":  # leaves the module until the next import
        return
    found: list[str] = []
    threads = [Thread(target=lambda each=each: found.append(each())) for each in asked * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["a"] * 3 + ["b"] * 3
    assert not {"strategy", "brain", "helper"} & (set(sys.modules) - names)
    assert sys.path == path
