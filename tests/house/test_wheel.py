"""The built wheel, made from the sdist as an installer would, works in an environment
that has nothing else.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pips_referee.game import REGISTRY
from pips_referee.installed import VARIABLE
from pips_tourney.workshop.browser.own_wheel import wheel
from tests.lab.place.opened import OpenedPlace, write_bot
from tests.needs import needs

ROOT = Path(__file__).parents[2]
SCRIPTS = ("pips-bot", "pips-referee", "pips-tourney")
MOST_MB, MOST_DISTRIBUTIONS = 40, 12
"""The size of an author's install, above an empty environment, bytecode included."""
IMPORT_EVERYTHING = """
import importlib, pkgutil
from pips_tourney.extras import how_to_install
needs_an_extra = {
    "pips_sdk.gym_env", "pips_sdk.pettingzoo_env", "pips_sample_bots.openspiel.mcts_bot", "pips_tourney.engines.dask.",
} if LEAGUE else {}
for name in ("pips.v1", "pips_referee", "pips_sdk", "pips_sample_bots", "pips_tourney"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if module.name.startswith(tuple(needs_an_extra)):
            continue
        try:
            importlib.import_module(module.name)
            print(module.name)
        except ModuleNotFoundError as missing:
            if LEAGUE or not how_to_install(missing):
                raise
"""


@dataclass(frozen=True)
class Built:
    """Both distributions, and the names of the files in them (the sdist's without its
    top folder).
    """

    sdist: frozenset[str]
    wheel: frozenset[str]
    wheel_file: Path


@dataclass(frozen=True)
class Empty:
    """An environment with the wheel and what it declares, and a folder far from this
    checkout to work in.
    """

    bin: Path
    folder: Path

    def run(self, command: str, *arguments: str) -> str:
        """What the command prints; fails with all it said when it fails."""
        env = {name: value for name, value in os.environ.items() if name != VARIABLE}  # it finds its own games
        ended = subprocess.run(
            [self.bin / command, *arguments], cwd=self.folder, env=env, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, f"{command} {' '.join(arguments)}\n{ended.stdout}{ended.stderr}"
        return ended.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = Path(os.environ.get("PIPS_DIST") or tmp_path_factory.mktemp("dist"))  # `make release` has built them
    if not [*folder.glob("*.whl")]:
        _python(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    [sdist_file], [wheel_file] = folder.glob("pips_tourney-*.tar.gz"), folder.glob("*.whl")
    with tarfile.open(sdist_file) as tar:
        sdist = frozenset(name.partition("/")[2] for name in tar.getnames())
    with zipfile.ZipFile(wheel_file) as archive:
        wheel = frozenset(archive.namelist())
    return Built(sdist, wheel, wheel_file)


@pytest.fixture(scope="module")
def empty(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Empty:
    """What an author installs."""
    return _installed(str(built.wheel_file), tmp_path_factory.mktemp("empty"))


@pytest.fixture(scope="module")
def league(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Empty:
    """What an organiser installs."""
    return _installed(f"{built.wheel_file}[league]", tmp_path_factory.mktemp("league"))


def _installed(what: str, folder: Path) -> Empty:
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    python = folder / "venv" / "bin" / "python"
    _python(sys.executable, "-m", "pip", "--python", str(python), "install", "--no-compile", what)
    return Empty(python.parent, folder)


def _python(*command: str) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{' '.join(command)}\n{ended.stdout}{ended.stderr}"


def test_the_sdist_has_what_a_wheel_is_built_from_and_nothing_generated(built: Built) -> None:
    assert {"hatch_build.py", "pyproject.toml", "LICENSE", "README.md", "proto/pips/v1/referee.proto"} <= built.sdist
    assert _of_checkout("seeds/*.deals") <= built.sdist
    assert _of_checkout("tournaments/*.toml") <= built.sdist
    assert not {name for name in built.sdist if "_pb2" in name}


def test_the_wheel_has_the_contract_and_its_code(built: Built) -> None:
    contracts = {Path(name).stem for name in _of_checkout("proto/pips/v1/*.proto")}
    assert {f"pips/v1/{name}.proto" for name in contracts} <= built.wheel
    assert {f"pips/v1/{name}_pb2.{kind}" for name in contracts for kind in ("py", "pyi")} <= built.wheel
    grpc = {name for name in built.wheel if "_pb2_grpc" in name}
    assert grpc == {"pips/v1/referee_pb2_grpc.py", "pips/v1/referee_pb2_grpc.pyi"}


def test_the_wheel_has_every_rulebook_suite_and_league(built: Built) -> None:
    assert {f"pips_referee/games/{game}/RULES.md" for game in REGISTRY} <= built.wheel
    assert {f"pips_tourney/{name}" for name in _of_checkout("seeds/*.deals")} <= built.wheel
    leagues = {f"pips_tourney/leagues/{Path(name).name}" for name in _of_checkout("tournaments/*.toml")}
    assert leagues <= built.wheel
    assert {f"pips_sdk/js/{Path(name).name}" for name in _of_checkout("sdk/js/*.js*")} <= built.wheel


def test_the_wheel_has_what_a_new_bot_is_made_of(built: Built) -> None:
    templates = {name.removeprefix("sdk/") for name in _of_checkout("sdk/pips_sdk/templates/**/*.*")}
    assert {name for name in templates if "__pycache__" not in name} <= built.wheel
    kits = {name.removeprefix("sample_bots/") for name in _of_checkout("sample_bots/languages/*/bot.toml")}
    assert {f"pips_tourney/{name}" for name in kits} <= built.wheel
    assert {"pips_tourney/languages/shell/bot.sh", "pips_sdk/lines/source/runtime.hpp"} <= built.wheel
    assert {"pips_tourney/learned/train.py", "pips_tourney/learned/bot.py"} <= built.wheel


def test_a_place_hands_out_the_same_files(built: Built) -> None:
    with zipfile.ZipFile(io.BytesIO(wheel())) as archive:
        assert set(archive.namelist()) == built.wheel
        with zipfile.ZipFile(built.wheel_file) as real:
            same = [name for name in built.wheel if not name.endswith(("/RECORD", "/WHEEL", "/METADATA"))]
            assert all(archive.read(name) == real.read(name) for name in same)
            [about] = [name for name in built.wheel if name.endswith("/METADATA")]  # it ends with the README
            assert archive.read(about).partition(b"\n\n")[0] == real.read(about).partition(b"\n\n")[0]


def test_the_wheel_has_the_packages_typed_and_no_more(built: Built) -> None:
    packages = {"pips", "pips_referee", "pips_sample_bots", "pips_sdk", "pips_tourney"}
    tops = {name.partition("/")[0] for name in built.wheel}
    assert {name for name in tops if not name.endswith(".dist-info")} == packages
    assert {f"{name}/py.typed" for name in packages - {"pips"}} | {"pips/v1/py.typed"} <= built.wheel


def test_an_authors_install_is_light(empty: Empty) -> None:
    packages = Path(empty.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    empty.run("python", "-m", "compileall", "-q", str(packages))
    told = subprocess.run(["du", "-sm", packages.parents[2]], capture_output=True, text=True, check=True).stdout
    assert int(told.split()[0]) <= MOST_MB
    assert len([*packages.glob("*.dist-info")]) <= MOST_DISTRIBUTIONS


def test_every_module_imports_or_names_its_extra(empty: Empty) -> None:
    assert "pips_referee.games.serpent.rules" in empty.run("python", "-c", f"LEAGUE = False{IMPORT_EVERYTHING}").split()


@pytest.mark.long
def test_every_module_imports_with_the_extra_league(league: Empty) -> None:
    assert "pips_tourney.web.server" in league.run("python", "-c", f"LEAGUE = True{IMPORT_EVERYTHING}").split()


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_command_says_what_it_does(empty: Empty, script: str) -> None:
    assert empty.run(script, "--help").startswith("Usage:")


def test_the_rulebook_is_read_from_the_package(empty: Empty) -> None:
    rulebook = (ROOT / "referee/pips_referee/games/serpent/RULES.md").read_text(encoding="utf-8")
    assert empty.run("pips-referee", "rules", "serpent").strip() == rulebook.strip()


@pytest.mark.long
def test_with_the_extra_league_a_league_is_played(league: Empty) -> None:
    """In a folder with nothing in it."""
    standings = json.loads(league.run("pips-tourney", "run", "first", "--json"))
    assert [table["label"] for table in standings["tables"]] == ["serpent", "wichita", "overall"]
    assert standings["complete"]
    assert (league.folder / "first.toml").is_file()
    assert "results verified" in league.run("pips-tourney", "verify", "first.db")


def test_from_the_wheel_alone_a_bot_is_begun_and_played(empty: Empty) -> None:
    """What the README promises of `pip install`."""
    empty.run("pips-bot", "new", "my_bot", "--game", "serpent")
    assert "my_bot won" in empty.run("pips-bot", "play", "my_bot", "greedy", "-n", "2")
    assert "my_bot is ready" in empty.run("pips-bot", "check", "my_bot")
    for language in ("cpp", "shell"):
        empty.run("pips-bot", "new", f"my_{language}", "--game", "serpent", "--language", language)


@pytest.mark.xdist_group("processes")
@pytest.mark.long
@needs("bwrap")
def test_a_place_of_the_wheel_takes_a_bot_in_and_plays_it(league: Empty) -> None:
    with TemporaryDirectory(prefix="pw-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), 1, python=str(league.bin / "python"))
        place.prepare()
        place.open()
        try:
            (place.folder / "token.txt").write_text(place.token("s00"))
            bot = str(write_bot(place.folder, 0))
            words = ("submit", bot, "--to", place.address, "--token-file", str(place.folder / "token.txt"))
            assert "is ready" in league.run("pips-bot", *words, "--wait")
        finally:
            place.close()


def _of_checkout(pattern: str) -> set[str]:
    found = {str(file.relative_to(ROOT)) for file in ROOT.glob(pattern)}
    assert found, f"nothing matches {pattern}"
    return found


@pytest.mark.long
def test_games_of_other_wheels_are_played_like_ours(league: Empty) -> None:
    league.run("pips-bot", "new-game", "my_game")
    places = [str(ROOT / "tests" / "games" / "pig"), str(league.folder / "my_game")]
    folder = league.folder / "wheels"
    pip = (sys.executable, "-m", "pip")
    _python(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), *places)
    wheels = [str(wheel) for wheel in folder.glob("*.whl")]
    assert len(wheels) == len(places)
    _python(*pip, "--python", str(league.bin / "python"), "install", "--no-deps", *wheels)
    assert "1. The seat whose turn it is" in league.run("pips-referee", "rules", "pig")
    assert "random won" in league.run("pips-bot", "play", "random", "random", "--game", "my_game", "-n", "4")
    assert "kept     A copy is equal" in league.run("pips-referee", "check-game", "pig")
    names = ", ".join(f'{{ name = "{name}", sample = "random" }}' for name in ("ada", "bo", "cy", "dee"))
    games = '{ name = "pig", seats = 4 }, { name = "my_game", seats = 4 }'
    file = league.folder / "mine.toml"
    file.write_text(f"games = [{games}]\ndeals = 1\nbots = [{names}]\n", encoding="utf-8")
    league.run("pips-tourney", "run", str(file))
    assert "8 results verified" in league.run("pips-tourney", "verify", str(file.with_suffix(".db")))
    league.run("pips-tourney", "report", str(file.with_suffix(".db")))
