"""What an import pulls in: a bot starts a process of its own, and every module it loads
is time at the table.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pips.v1 import player_pb2
from pips_referee.chance import SEED_BYTES
from pips_referee.game import REGISTRY
from pips_tourney.sandbox import inside
from tests.records import new_header
from tests.unmeasured import unmeasured

HEAVY = {"numpy", "pydantic", "rich", "scipy", "sqlite3", "tqdm", "pips_tourney", "pips_referee.service.bots"}
CONTRACT = {"google", "grpc", "pips"}


FIRST_ANSWER = """
import sys
from pathlib import Path
from pips.v1 import player_pb2
from pips_sample_bots.{game}.greedy_bot import GreedyBot
from pips_sdk._runtime.table import BotTables
message, answer = player_pb2.PlayResponse.FromString(bytes.fromhex(sys.argv[1])), player_pb2.Answer()
tables = BotTables({{"{game}": GreedyBot}})
before = set(sys.modules)
tables.start(message.starts[0])
tables.ask(message.questions[0], answer)
assert answer.WhichOneof("reply") == "action", answer
print(*sys.modules.keys() - before)
"""


def printed(script: str, *words: str) -> set[str]:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", script, *words]
    return set(subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=True).stdout.split())


def loaded_by(module: str) -> set[str]:
    """All that is loaded after importing the module."""
    return printed(f"import sys, {module}; print(*sys.modules)")


@pytest.mark.parametrize("game", REGISTRY)
def test_the_first_answer_loads_nothing(game: str) -> None:
    """It is given on the clock: whatever a bot needs is there before its hello."""
    header = new_header(game)
    question, seats = header.new_match().question(), len(header.names)
    message = player_pb2.PlayResponse()
    start = message.starts.add(table=1, game=game, seat=question.seat, seats=seats, rng_seed=bytes(SEED_BYTES))
    header.wire.write_options(header.options, start.options)
    asked = message.questions.add(table=1, number=question.number)
    header.wire.write_view(question.view, asked.view)
    for event in question.events:
        header.wire.write_event(event, asked.events.add())
    assert printed(FIRST_ANSWER.format(game=game), message.SerializeToString().hex()) == set()


@pytest.mark.parametrize("module", ["pips_sdk._runtime.client", "pips_sdk.serpent"])
def test_the_sdk_loads_nothing_heavy(module: str) -> None:
    assert not loaded_by(module) & HEAVY


def test_the_pages_load_nothing_that_a_night_on_screen_does_not_need() -> None:
    """Their start is most of what they take of a short night."""
    assert not loaded_by("pips_tourney.web.serve, pips_tourney.web.server") & {
        "google.protobuf",
        "grpc",
        "jinja2",
        "pips_sdk.bot",
        "pips_tourney.models",
        "rich",
    }


def test_who_reads_a_night_loads_no_bots_no_grpc_and_no_league_file() -> None:
    """Every command that shows a night reads its programme first."""
    assert not loaded_by("pips_tourney.night.plan.programme") & {
        "grpc",
        "asyncio",
        "pips_sdk.bot",
        "numpy",
        "rich",
        "pips_tourney.league.file",
    }


@pytest.mark.parametrize("command", ["pips_tourney.cli.tourney", "pips_tourney.cli.bot"])
def test_help_loads_little(command: str) -> None:
    assert not loaded_by(command) & {*HEAVY - {"sqlite3", "pips_tourney"}, *CONTRACT}


def test_rules_load_nothing_of_the_contract() -> None:
    assert not loaded_by("pips_referee.games.serpent.rules") & (HEAVY | CONTRACT)


def test_the_last_step_before_a_bot_loads_next_to_nothing() -> None:
    """It is a process of its own at each start of a bot."""
    folder = str(Path(inside.__file__).parent)
    script = f"import sys; sys.path.insert(0, {folder!r}); import inside; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", script]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"collections", "enum", "pathlib", "re", "signal", "typing"} & set(loaded)
