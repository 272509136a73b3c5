"""An author's install is light, and what it lacks is named by one line."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pips_tourney.extras import EXTRAS
from tests.unmeasured import unmeasured

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MOST = 12
"""Distributions of an author's install, Pips itself too."""
LIGHT = f"""
import sys
for name in {sorted({name for names in EXTRAS.values() for name in names})!r}:
    sys.modules[name] = None
def run(words):
    print("$", " ".join(words), flush=True)
    import pips_tourney.cli.bot, pips_tourney.cli.tourney
    main = {{"pips-bot": pips_tourney.cli.bot.main, "pips-tourney": pips_tourney.cli.tourney.main}}[words[0]]
    try:
        main(words[1:], prog_name=words[0])
    except SystemExit as ended:
        sys.stdout.flush()
        print("ended by", int(ended.code or 0), flush=True)
"""
TAB = """
import threading
sys.modules["grpc"] = None
def refuse(*_):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
from pips_referee.game import get_game
from pips_referee.records.record import Header, read_record, write_record
from pips_sdk import play_match
from pips_sdk.positions import text_of
from pips_sdk.samples import sample_class
from pips_tourney.analysis.analyse import analyse
import pips_tourney.web.browser.tab
for game, name in (("serpent", "search"), ("wichita", "search"), ("pippip", "greedy"), ("dominion", "cautious")):
    rules, views = get_game(game), []
    options = rules.options()
    bots = [sample_class(game, name)] * rules.seats(options)[0]
    match = play_match(bots, bytes(32), on_question=lambda _, question: views.append(question.view))
    header = Header("m", rules, options, tuple(f"b{seat}" for seat in range(len(bots))), bytes(32))
    record = read_record(write_record(header, match))
    assert not match.faults and text_of(game, views[0]) and analyse([record], "b0", seconds=0.1)
    print(game)
"""
AUTHORS = """
run("pips-bot new mine --game serpent".split())
run("pips-bot play mine greedy -n 20 --in-process --save kept --seed light".split())
run("pips-bot check mine --in-process".split())
run("pips-bot compare mine random --in-process --max-deals 12 --by points".split())
run("pips-bot compare mine random --in-process --max-deals 12".split())
run("pips-bot watch mine greedy --in-process --delay 0".split())
run("pips-bot analyse kept --seconds 1".split())
import pathlib
record = str(sorted(pathlib.Path("kept").iterdir())[0])
run(["pips-tourney", "replay", record, "--all"])
run(["pips-bot", "ask", record, "mine", "--seat", "0", "--question", "1"])
for command in ("submit", "join"):
    run(["pips-bot", command, "--help"])
import pips_tourney.workshop.submit, pips_tourney.remote.join, pips_sdk.model.bot
run(["pips-tourney", "--help"])
run("pips-tourney new".split())
run("pips-bot human pippip".split())
"""


def printed(folder: Path, script: str) -> str:
    """What the script prints in an interpreter that lacks what the extras bring."""
    ended = subprocess.run(
        [sys.executable, "-c", LIGHT + script], cwd=folder, env=unmeasured(), input="q\n", capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def needed(requirements: Iterable[str]) -> set[str]:
    """The distributions that these requirements bring, as they are installed here."""
    found, left = set[str](), [*requirements]
    while left:
        need = Requirement(left.pop())
        name = canonicalize_name(need.name)
        if name not in found and (need.marker is None or need.marker.evaluate({"extra": ""})):
            found.add(name)
            left += distribution(name).requires or []
    return found


def test_a_browsers_tab_needs_neither_grpc_nor_numpy_nor_threads(tmp_path: Path) -> None:
    assert printed(tmp_path, TAB).split() == ["serpent", "wichita", "pippip", "dominion"]


def test_an_author_installs_few_distributions() -> None:
    here = needed(PROJECT["dependencies"])
    assert here == {"click", "grpcio", "grpcio-health-checking", "msgspec", "protobuf", "typing-extensions"}
    assert len(here) + 1 <= MOST


def test_an_authors_commands_need_no_extra(tmp_path: Path) -> None:
    said = printed(tmp_path, AUTHORS)
    assert "Elo" in said
    assert set(re.findall(r"^ended by (.*)$", said, re.MULTILINE)) <= {"0", "3"}, said  # 3: not decided
    assert "is missing" not in said


def test_a_command_that_lacks_its_extra_names_the_line_that_installs_it(tmp_path: Path) -> None:
    said = printed(tmp_path, 'run("pips-tourney standings x.db".split())')
    assert "Error: pips-tourney standings needs more than is installed: pip install 'pips-tourney[league]'" in said
    assert "ended by 2" in said


def test_only_the_named_samples_need_numpy(tmp_path: Path) -> None:
    script = """
import importlib, pkgutil, pips_sample_bots
for module in pkgutil.walk_packages(pips_sample_bots.__path__, "pips_sample_bots."):
    if module.name.endswith("_bot"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            print("needs", missing.name, *module.name.split(".")[1:])
run("pips-bot play search greedy --game pippip -n 2".split())
"""
    said = printed(tmp_path, script)
    wanting = {tuple(line.split()[1:]) for line in said.splitlines() if line.startswith("needs ")}
    assert wanting == {("numpy", "pippip", "search_bot"), ("pyspiel", "openspiel", "mcts_bot")}
    assert "Error: the sample bot search of pippip needs numpy: pip install numpy" in said


def test_the_extras_bring_the_modules_that_are_named() -> None:
    home = {module: {canonicalize_name(name) for name in names} for module, names in packages_distributions().items()}
    declared = set()
    for extra, modules in EXTRAS.items():
        if extra == "openspiel" and "pyspiel" not in home:
            continue  # `all` leaves it out
        listed = [need for need in PROJECT["optional-dependencies"][extra] if "pips-tourney" not in need]
        declared |= {canonicalize_name(Requirement(need).name) for need in listed}
        assert [module for module in modules if not home[module] & needed(listed)] == [], extra
    assert declared <= {name for modules in EXTRAS.values() for module in modules for name in home.get(module, ())}


def test_each_extra_has_a_sentence() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert set(PROJECT["optional-dependencies"]) == {
        "all",
        "dask",
        "dev",
        "docs",
        "gym",
        "league",
        "models",
        "openspiel",
    }
    for extra in PROJECT["optional-dependencies"]:
        assert re.search(rf"^# [A-Z].*\.\n{extra} = \[", text, re.MULTILINE), extra
