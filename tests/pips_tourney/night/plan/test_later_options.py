"""Later options change no id, seed or header of what was played before them."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pips.v1 import record_pb2
from pips_referee.game import REGISTRY, get_game
from pips_referee.records.record import Header, read_record, replay, write_record
from pips_referee.wire import get_wire
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Programme
from pips_tourney.secret import Secret, canonical
from tests.contract.cases import CASES, Case
from tests.pips_tourney.in_process import play

SECRET = Secret(bytes(range(32)))
LEAGUE = """
name = "ids"
games = ["serpent", "wichita", { name = "pippip", seats = 3 }, { name = "dominion", options = { size = 3 } }]
deals = 2
bots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "random" }, { name = "cy", sample = "random" }]
"""
HEADERS = {
    "serpent": "bb3805d873b4dbf3d69b9382b4178f5a",
    "wichita": "7d9af238be5c5715f1e6838fea9cd863",
    "pippip": "d704dbcca2fd60c20495a318020d4e74",
    "dominion": "863855264abd8def45c4a7c3859603e8",
}
"""SHA-256 of the headers of all matches, as they were before later options."""
DIGEST = "728e3370ff53c246d3dc2ed687b55cca422c6e22b088acf1fe92b28c6e0de4c9"
FIRST_OPTIONS = {
    "serpent": b'{"max_tiebreaks":10}',
    "wichita": b'{"decks":0}',
    "pippip": b'{"rounds":1,"rules":"fosdick"}',
    "dominion": b'{"max_rounds":null,"size":null}',
}
LATER = [
    ("serpent", {"hands": 6}),
    ("pippip", {"windows": "fosdick"}),
    ("pippip", {"windows": "hervey", "rules": "hervey"}),
    ("pippip", {"hands": 5}),
    ("dominion", {"resigning": False}),
    ("dominion", {"optional_army": True}),
]
later = pytest.mark.parametrize(("name", "values"), LATER)


@pytest.fixture
def programme(tmp_path: Path) -> Programme:
    """A night of all games, with fingerprints that depend on no file."""
    (tmp_path / "ids.toml").write_text(LEAGUE, encoding="utf-8")
    made = make_programme(read_league(tmp_path / "ids.toml"))
    entrants = [replace(one, fingerprints={game: f"{one.name}/{game}" for game in one.fingerprints})
                for one in made.entrants]  # fmt: skip
    return replace(made, entrants=tuple(entrants))


def header_bytes(header: Header) -> bytes:
    message = record_pb2.MatchHeader()
    header.write(message)
    return message.SerializeToString(deterministic=True)


def test_ids_seeds_and_headers_are_those_of_before(programme: Programme) -> None:
    hashes = {name: sha256() for name in REGISTRY}
    for fixture in fixtures(programme):
        hashes[fixture.contest.game].update(header_bytes(fixture.header(SECRET)))
    assert {name: made.hexdigest()[:32] for name, made in hashes.items()} == HEADERS
    assert programme.digest == DIGEST


@pytest.mark.parametrize("name", REGISTRY)
def test_options_by_default_are_named_as_before(name: str) -> None:
    options = get_game(name).options()
    assert canonical(options.named()) == FIRST_OPTIONS[name]
    assert get_game(name).options(options.named()) == options


@later
def test_a_later_option_is_named_where_it_is_not_at_its_default(name: str, values: dict[str, Any]) -> None:
    game = get_game(name)
    options = game.options(values)
    assert values.items() <= options.named().items()
    assert game.options(options.named()) == options


@later
def test_a_later_option_makes_other_matches(programme: Programme, name: str, values: dict[str, Any]) -> None:
    contests = [one for one in programme.contests if one.game == name]
    changed = [replace(one, options=get_game(name).options({**one.options, **values}).named()) for one in contests]
    before, after = (
        {fixture.match_id: fixture.header(SECRET).seed for fixture in fixtures(replace(programme, contests=tuple(of)))}
        for of in (contests, changed)
    )
    assert not before.keys() & after.keys()
    assert not set(before.values()) & set(after.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_record_keeps_the_options(case: Case) -> None:
    """Written, read and replayed with each case's options."""
    header = Header("one", case.game, case.options, tuple(f"bot {seat}" for seat in range(case.seats)), bytes(32))
    data = play(header, bytes(32))
    record = read_record(data)
    assert record.header.options == case.options
    assert write_record(record.header, replay(record)) == data
    assert get_wire(case.game_name) is record.header.wire
