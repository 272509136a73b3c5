"""Games of OpenSpiel: what is played, what is refused, and what nobody may see."""

from __future__ import annotations

import gc
import json
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from pips.v1 import game_pb2
from pips_referee.chance import Chance
from pips_referee.errors import GameProblem, IllegalAction, OptionsError, PipsError, UnknownGame
from pips_referee.game import REGISTRY, get_game, text_of
from pips_referee.laws import checks_of
from pips_referee.match import Match, Question
from pips_referee.openspiel import library
from pips_referee.openspiel.rules import SpielState
from pips_referee.openspiel.values import SpielChance, SpielMove, SpielMoved, SpielOptions, SpielTold, SpielView
from pips_referee.records.record import Header, verify, write_record
from pips_referee.wire import get_wire
from pips_sdk import play_match
from pips_sdk.openspiel import OpenBot
from pips_sdk.samples import NoSample, sample_class, sample_words
from pips_sdk.text import parse, prompt
from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.play import crew
from tests.lab.openspiel import HIDING, TWENTY
from tests.needs import needs

pytestmark = needs("openspiel")
LARGE = ("hearts", "gin_rummy", "oh_hell", "crazy_eights", "cribbage", "go_fish")
"""Games in which no two deals look alike to a seat."""


def match_of(name: str, seats: int, number: int, options: dict[str, object] | None = None) -> Match:
    game = get_game(f"openspiel:{name}")
    return Match(game, game.options(options), seats, Chance(number.to_bytes(32, "big")))


def questions(match: Match, rng: Random) -> Iterator[Question]:
    """The questions of a match of random answers."""
    while match.to_ask is not None:
        yield match.question()
        match.answer(match.state.sample_action(rng))


@pytest.mark.parametrize(("name", "seats"), TWENTY.items())
def test_it_is_a_game_like_any_other(name: str, seats: int) -> None:
    game, wire = get_game(f"openspiel:{name}"), get_wire(f"openspiel:{name}")
    match = match_of(name, seats, 1)
    asked = 0
    for question in questions(match, Random(1)):
        asked += 1
        if asked > 30:
            continue
        view, sent = question.view, game_pb2.GameView()
        wire.write_view(view, sent)
        assert wire.read_view(sent) == view
        assert len({*view.legal_actions()}) > 1 and text_of(view).situation(view)
        before = [match.state.view(seat) for seat in range(seats)]
        match.state.copy().apply(match.state.sample_action(Random(asked)))
        with pytest.raises(IllegalAction, match="'no such move' is none of the legal moves"):
            match.state.apply(SpielMove("no such move"))
        assert [match.state.view(seat) for seat in range(seats)] == before
    assert 0 < asked <= game.longest(game.options(), seats)
    assert not any(match.state.view(seat).kind for seat in range(seats))
    record = write_record(Header("m", game, game.options(), ("a",) * seats, match.chance.seed), match)
    assert verify(record).outcome == match.outcome


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name, seats in TWENTY.items() if name in HIDING])
def test_nothing_that_is_hidden_travels(name: str, seats: int) -> None:
    """What goes to a seat follows from what it may know, and from nothing else.

    Two matches in which a seat has known the same at all its questions have sent it the
    same bytes, though other seats held or did something else.
    """
    wire = get_wire(f"openspiel:{name}")
    sent: dict[tuple[int, tuple[str, ...]], set[bytes]] = defaultdict(set)
    truths: dict[tuple[int, tuple[str, ...]], set[str]] = defaultdict(set)
    for number in range(100):
        match = match_of(name, seats, number)
        told = [b""] * seats
        known: list[tuple[str, ...]] = [()] * seats
        for question in islice(questions(match, Random(number)), 12):
            seat, view = question.seat, question.view
            assert isinstance(view, SpielView) and isinstance(match.state, SpielState)
            message = game_pb2.GameView()
            wire.write_view(view, message)
            told[seat] += message.SerializeToString()
            for event in question.events:
                assert isinstance(event, (SpielMoved, SpielTold)) and event.seat == seat
                wire.write_event(event, (also := game_pb2.GameEvent()))
                told[seat] += also.SerializeToString()
            known[seat] = (*known[seat], view.known)
            at = seat, known[seat]
            sent[at].add(told[seat])
            truths[at].add(match.state.spiel.history_str())
            assert reached(question).isdisjoint({"SpielState", "Chance", "State", type(match.state.spiel).__name__})
            assert match.chance.seed not in told[seat] and match.chance.seed.hex().encode() not in told[seat]
    assert {len(each) for each in sent.values()} == {1}
    assert name in LARGE or max(map(len, truths.values())) > 1  # it would have shown


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "phantom_ttt"])
def test_a_game_that_hides_something_keeps_the_laws(name: str) -> None:
    for check in checks_of(f"openspiel:{name}"):
        check()


def test_what_is_told_makes_up_what_is_known() -> None:
    known = ["", ""]
    for question in questions(match_of("leduc_poker", 2, 1), Random(1)):
        told = question.events[-1]
        assert isinstance(told, SpielTold) and isinstance(question.view, SpielView)
        known[question.seat] = known[question.seat][: told.kept] + told.text
        assert known[question.seat] == question.view.known
        assert f"seat {question.seat} learns: " in prompt(question.view, question.events)


class Dealt(SpielState):
    """A match whose luck is written down."""

    script: list[int]

    def _draw(self) -> int:
        number = self.script.pop(0)
        if number not in dict(self.spiel.chance_outcomes()):
            raise LookupError(number)
        return number


@pytest.mark.parametrize("name", LARGE)
def test_other_cards_of_others_change_nothing(name: str) -> None:
    """A first question is the same if only cards that the seat cannot see differ."""
    game, seats, wire = library.load(name, TWENTY[name]), TWENTY[name], get_wire(f"openspiel:{name}")
    match = match_of(name, seats, 3)
    drawn = [event.number for event in match.log if isinstance(event, SpielChance)]

    def first(script: list[int]) -> tuple[int | None, str, bytes]:
        state = Dealt(game, Chance(bytes(32)), tensor=True)
        state.script = script[:]
        events = state.go_on()
        seat, message = state.to_ask, game_pb2.GameView()
        assert seat is not None
        wire.write_view(state.view(seat), message)
        seen = [event for event in events if event.seen_by(seat) is not None]
        return seat, state.view(seat).known, message.SerializeToString() + repr(seen).encode()

    truth, twins = first(drawn), 0
    for one in range(len(drawn)):
        for other in range(one):
            swapped = drawn[:]
            swapped[one], swapped[other] = drawn[other], drawn[one]
            with suppress(LookupError, IndexError):  # no such cards can be dealt, or more are
                twin = first(swapped)
                twins += twin[:2] == truth[:2]
                assert twin[:2] != truth[:2] or twin == truth
    assert twins


def reached(value: object) -> set[str]:
    """The classes of all that can be reached from a value."""
    seen, left = set[int](), [value]
    names = set[str]()
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, type):
            continue
        seen.add(id(each))
        names.add(type(each).__name__)
        left += gc.get_referents(each)
    return names


@pytest.mark.parametrize(("name", "seats"), [("kuhn_poker", 2), ("leduc_poker", 3), ("hearts", 4)])
def test_every_seating_gets_the_same_deal(name: str, seats: int) -> None:
    for number in range(5):
        deals = set()
        for luck in range(4):
            match = match_of(name, seats, number)
            for _ in questions(match, Random(luck)):
                pass
            drawn = [event.outcome for event in match.log if isinstance(event, SpielChance)]
            deals.add(tuple(drawn[:seats]))
        assert len(deals) == 1


def test_cards_to_come_are_the_same_whatever_was_played() -> None:
    """The public card of Leduc is the next of the deck, after any bets."""
    later = set()
    for luck in range(40):
        match = match_of("leduc_poker", 3, 7)
        for _ in questions(match, Random(luck)):
            pass
        later.add(tuple([event.number for event in match.log if isinstance(event, SpielChance)][3:]))
    assert len(later - {()}) == 1


@pytest.mark.parametrize(("name", "draws"), [("leduc_poker", 3), ("pig", 2), ("backgammon", 1)])
def test_chances_are_those_of_openspiel(name: str, draws: int) -> None:
    """Each sequence of draws comes as often as it should, to 4.5 standard errors."""
    many = 6000
    seen: Counter[tuple[int, ...]] = Counter()
    expected: dict[tuple[int, ...], float] = {}
    for number in range(many):
        drawn: tuple[int, ...] = ()
        chance = 1.0
        state = SpielState(library.load(name), Chance(number.to_bytes(32, "big")), tensor=False)
        while len(drawn) < draws:
            if not state.spiel.is_chance_node():
                state.spiel.apply_action(state.spiel.legal_actions()[0])
                continue
            outcomes = dict(state.spiel.chance_outcomes())
            state.spiel.apply_action(one := state._draw())
            drawn, chance = (*drawn, one), chance * outcomes[one]
        seen[drawn] += 1
        expected[drawn] = chance
    assert sum(expected.values()) == pytest.approx(1.0)
    for drawn, chance in expected.items():
        assert abs(seen[drawn] - many * chance) <= 4.5 * sqrt(many * chance * (1 - chance))


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("kuhn", "OpenSpiel has no game 'kuhn'; is it openspiel:kuhn_poker?"),
        ("kuhn_poker(playerz=3)", "openspiel:kuhn_poker has no parameter playerz; it has players"),
        ("kuhn_poker(players=30)", "openspiel:kuhn_poker is for 2 to 10 players, not 30"),
        ("kuhn_poker(players", "is no game of OpenSpiel: write openspiel:NAME"),
        ("../etc", "is no game of OpenSpiel: write openspiel:NAME"),
        ("bridge", "its players are teams"),
        ("spades", "its players are teams"),
        ("hanabi", "there is nobody to beat"),
        ("trade_comm", "there is nobody to beat"),
        ("goofspiel", r"all players move at once \(turn_based_simultaneous_game\(game=goofspiel\) asks them in turn"),
        ("tarok", "it draws its luck itself"),
        ("2048", "it is for one player"),
        ("mfg_garnet", "it has no players that move in turn"),
    ],
)
def test_what_cannot_be_played_is_said(word: str, sentence: str) -> None:
    with pytest.raises(UnknownGame, match=sentence):
        get_game(f"openspiel:{word}")


def test_seats_and_tensors_are_checked() -> None:
    game = get_game("openspiel:kuhn_poker")
    assert [*game.seats(game.options())] == [*range(2, 11)]
    assert [*get_game("openspiel:kuhn_poker(players=3)").seats(game.options())] == [3]
    with pytest.raises(OptionsError, match=r"openspiel:hearts .*is for 4 seats, not 3"):
        get_game("openspiel:hearts").check_seats(game.options(), 3)
    with pytest.raises(OptionsError, match="openspiel:cribbage has no tensor"):
        get_game("openspiel:cribbage").check_seats(SpielOptions(tensor=True), 2)
    view: Any = match_of("kuhn_poker", 2, 0, {"tensor": True}).question().view
    assert view.floats[:2] == (1.0, 0.0) and len(view.floats) == 11
    view = match_of("kuhn_poker", 2, 0).question().view
    assert view.tensor == ""


def test_the_league_of_the_page_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "is_linux", lambda: False)  # in this process
    page = (Path(__file__).parents[3] / "docs" / "openspiel.md").read_text(encoding="utf-8")
    for language, file in (("toml", "spiel.toml"), ("python my_player.py", "my_player.py")):
        text = page.partition(f"```{language}\n")[2].partition("```")[0]
        (tmp_path / file).write_text(text, encoding="utf-8")
    ended = CliRunner().invoke(tourney, ["run", str(tmp_path / "spiel.toml"), "--db", str(tmp_path / "n.db"), "--json"])
    assert ended.exit_code == 0, ended.output
    assert json.loads(ended.stdout)["tables"][0]["counted"] == 40


def test_its_names_are_read_and_its_games_found() -> None:
    assert "openspiel:hearts(must_break_hearts=False)" in REGISTRY
    assert not [word for word in ("openspiel:", "openspiel:\x1b[31m evil", "spiel:hearts") if word in REGISTRY]
    for words in ("play openspiel:nogame/mcts random", "new bot --game openspiel:nogame", "human openspiel:nogame"):
        ended = CliRunner().invoke(bot, words.split())
        assert (ended.exit_code, "OpenSpiel has no game 'nogame'" in ended.output) == (2, True), ended.output


def test_two_bots_meet_in_the_game_of_one_of_them(tmp_path: Path) -> None:
    ended = CliRunner().invoke(bot, ["new", str(tmp_path / "mine"), "--game", "openspiel:leduc_poker"])
    assert ended.exit_code == 0, ended.output
    words = shlex.split(ended.stdout.partition("Play it:")[2].partition("\n")[0])
    ended = CliRunner().invoke(bot, [*words[1:], "--in-process", "-n", "2"])
    assert ended.exit_code == 0, ended.output
    assert "Leduc poker, 2 seats" in ended.output


def test_a_league_names_its_mistakes(tmp_path: Path) -> None:
    league = tmp_path / "league.toml"
    league.write_text(
        'games = ["openspiel:bridge", {name = "openspiel:kuhn_poker", seats = 12}]\ndeals = 1\n'
        'bots = [{name = "a", sample = "random"}, {name = "b", sample = "mcts"}]\n',
        encoding="utf-8",
    )
    with pytest.raises(LeagueError) as told:
        read_league(league)
    for sentence in (
        "games[0].name: openspiel:bridge cannot be played here: its players are teams",
        "games[1].seats: openspiel:kuhn_poker is for 2 to 10 seats, not 12",
        "there is no sample bot 'mcts' for openspiel:kuhn_poker; there are random",
    ):
        assert sentence in str(told.value)


def test_answers_are_read_from_their_words() -> None:
    for name, seats in (("leduc_poker", 3), ("backgammon", 2), ("go_fish", 4)):
        for question in islice(questions(match_of(name, seats, 2), Random(2)), 8):
            legal = [*question.view.legal_actions()]
            assert "Your moves:" in prompt(question.view)
            assert [parse(action.text, question.view) for action in legal] == legal


@pytest.mark.parametrize(("name", "seats"), [("pig", 3), ("backgammon", 2), ("connect_four", 2), ("maedn", 4)])
def test_an_open_game_is_made_again_from_what_all_see(name: str, seats: int) -> None:
    asked = 0

    class Follows(OpenBot):
        game = f"openspiel:{name}"

        def move(self, view: SpielView) -> SpielMove:
            nonlocal asked
            asked += 1
            assert self.state.observation_string(self.seat) == view.known
            assert tuple(self.state.legal_actions()) == view.numbers
            return view.random_action(self.rng)

    match = play_match([Follows] * seats, bytes(32))
    assert not match.faults and asked > 5


def test_a_tree_search_beats_random_and_sees_nothing_hidden() -> None:
    name = "openspiel:tic_tac_toe"
    best, other = sample_class(name, "mcts"), sample_class(name, "random")
    assert sample_words(name, "mcts") == ("pips_sample_bots.openspiel.mcts_bot", name)
    won = [play_match([best, other], bytes([number]) * 32).outcome for number in range(6)]
    assert all(not outcome.faults for outcome in won)
    assert sum(outcome.places[0] for outcome in won) <= 8
    with pytest.raises(NoSample, match="there is no sample bot 'mcts' for openspiel:leduc_poker; there are random"):
        sample_class("openspiel:leduc_poker", "mcts")


class Peeks(OpenBot):
    game = "openspiel:kuhn_poker"


def test_a_bot_that_needs_to_see_all_is_told() -> None:
    match = play_match([Peeks, sample_class(Peeks.game, "random")], bytes(32))
    assert "hides something: derive from GameBot" in str(match.faults)


def test_without_openspiel_bots_play_and_referees_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = game_pb2.GameView()
    get_wire("openspiel:leduc_poker").write_view(match_of("leduc_poker", 2, 3).question().view, sent)
    caches = (library.library, library.load, get_game)
    try:
        with monkeypatch.context() as without:
            without.setattr(library, "find_spec", lambda name: None)
            for cached in caches:
                cached.cache_clear()
            game = get_game("openspiel:leduc_poker")
            assert get_wire(game.name).read_view(sent).random_action(Random(0)) in (
                SpielMove("Call"),
                SpielMove("Raise"),
            )
            with pytest.raises(GameProblem, match=r"pip install 'pips-tourney\[openspiel\]'"):
                game.seats(game.options())
    finally:
        for cached in caches:
            cached.cache_clear()
    assert issubclass(GameProblem, PipsError)
