"""Mutation tests of a game's rules: `make lab WHAT=mutation ARGS=serpent`.

    python -m tests.lab.mutation GAME

Copies the packages side by side into a scratch folder, where mutmut can mutate them,
and runs the game's own tests against every mutant.
Prints what survived.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from pips_referee.game import REGISTRY

TOP: Final = Path(__file__).parents[2]
SOURCE_ROOTS: Final = ("proto", "referee", "sdk", "sample_bots", "tournaments")
NOT_MUTATED: Final = ("__init__.py", "wire.py", "text.py", "worlds.py", "worth.py")
CONFIG: Final = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {modules}
also_copy = ["docs"]
pytest_add_cli_args = ["-o", "pythonpath=. src", "-o", "addopts=--import-mode=importlib", "-q", "-k", "{game}"]
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false
"""


def prepare(game: str, folder: Path) -> None:
    """Fill the scratch folder for a game."""
    for root in SOURCE_ROOTS:
        shutil.copytree(TOP / root, folder / "src", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "docs", "seeds"):
        shutil.copytree(TOP / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    room = Path("src/pips_referee/games", game)
    modules = sorted(str(room / path.name) for path in (folder / room).glob("*.py") if path.name not in NOT_MUTATED)
    tests = [
        *sorted(str(path.relative_to(TOP)) for path in (TOP / "tests/rules").glob(f"test_{game}*.py")),
        f"tests/pips_referee/games/{game}",
        "tests/contract/test_laws.py",
    ]
    config = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    config += CONFIG.format(game=game, modules=_toml(modules), tests=_toml(tests))
    (folder / "pyproject.toml").write_text(config, encoding="utf-8")


def _toml(words: list[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.mutation", description="Mutation tests of a game's rules."
    )
    parser.add_argument("game", choices=REGISTRY)
    game: str = parser.parse_args().game
    with tempfile.TemporaryDirectory(prefix="pips-mutation-") as name:
        folder = Path(name)
        prepare(game, folder)
        mutmut = Path(sys.executable).with_name("mutmut")
        ended = subprocess.run([mutmut, "run", "--max-children", "2"], cwd=folder, check=False)
        subprocess.run([mutmut, "results"], cwd=folder, check=False)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
