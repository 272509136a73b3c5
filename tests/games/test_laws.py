"""The wheels keep the laws that all games keep, and planted mistakes are each found."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from click.testing import CliRunner
from msgspec import Meta
from msgspec.structs import replace

from pips_referee.cli import main
from pips_referee.errors import IllegalAction, MalformedMessage
from pips_referee.forms import Codec
from pips_referee.game import Action, AnyGame, Value
from pips_referee.installed import VARIABLE
from pips_referee.laws import LAWS, BrokenLaw, Check, cases_of, chance
from pips_referee.laws.anything import any_action
from pips_referee.laws.case import Probe
from pips_referee.laws.elsewhere import MARK, another_process_plays_the_same, digest
from pips_referee.laws.held import difference, held
from pips_referee.laws.play import _is_recorded
from pips_tourney.cli.bot import main as bot
from tests.games.conftest import FOLDER, WHEELS

Plant = Callable[[pytest.MonkeyPatch, Any], None]
LAW = {law.name: law for law in LAWS}


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", WHEELS)
def test_the_wheels_keep_the_laws(name: str) -> None:
    ended = CliRunner().invoke(main, ["check-game", name])
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.count("kept ") >= len(LAWS) - 7


@pytest.fixture
def parts(kuhn: AnyGame) -> Any:
    """The module of Kuhn poker, and with it its `worlds`."""
    assert kuhn.part("worlds")
    return sys.modules["kuhn"]


def by_the_length_of_a_list(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.KuhnState.view

    def leaking(self: Any, seat: int) -> Any:
        view = honest(self, seat)
        return replace(view, bets=(*view.bets, *[False] * (self.cards[1 - seat].rank == 13)))

    patch.setattr(parts.KuhnState, "view", leaking)


def by_an_event(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.Dealt, "seen_by", lambda self, seat: self)


def copy_shares_a_list(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.KuhnState.copy

    def shares(self: Any) -> Any:
        twin = honest(self)
        twin.chips = self.chips
        return twin

    patch.setattr(parts.KuhnState, "copy", shares)


def view_shares_a_list(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.KuhnState.view
    patch.setattr(parts.KuhnState, "view", lambda self, seat: replace(honest(self, seat), chips=self.chips))


def world_contradicts(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.worlds.imagine

    def contradicts(view: Any, chance: Any, rng: Any) -> Any:
        world = honest(view, chance, rng)
        world.chips.reverse()
        return world

    patch.setattr(parts.worlds, "imagine", contradicts)


def world_deals_anew(patch: pytest.MonkeyPatch, parts: Any) -> None:
    def anew(state: Any, chance: Any, rng: Any) -> Any:
        twin = state.copy()
        twin.cards = [*reversed(twin.cards)]
        return twin

    patch.setattr(parts.worlds, "redeal", anew)


def old_luck_to_come(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.worlds, "redeal", lambda state, chance, rng: state.copy())


def luck_of_python(patch: pytest.MonkeyPatch, parts: Any) -> None:
    _deals(patch, parts, lambda state: random.sample(parts.PACK, 2))


def luck_of_its_own(patch: pytest.MonkeyPatch, parts: Any) -> None:
    luck = Random(1)
    _deals(patch, parts, lambda state: luck.sample(parts.PACK, 2))


def luck_of_one_name(patch: pytest.MonkeyPatch, parts: Any) -> None:
    _deals(patch, parts, lambda state: state.chance.shuffled("deal", parts.PACK, 2))


def _deals(patch: pytest.MonkeyPatch, parts: Any, cards: Callable[[Any], Any]) -> None:
    honest = parts.KuhnState.deal

    def deal(self: Any) -> Any:
        events = honest(self)
        if events:
            self.cards = cards(self)
        return [parts.Dealt(event.seat, self.cards[event.seat]) for event in events]

    patch.setattr(parts.KuhnState, "deal", deal)


def too_short(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.Kuhn, "longest", lambda self, options, seats: 2 * options.hands)


def plays_all(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.KuhnView, "legal_actions", lambda self: iter([parts.Pass()] * bool(self.kind)))


def never_bets(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.KuhnView, "random_action", lambda self, rng: parts.Pass())


def crashes(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.KuhnState.apply

    def crash(self: Any, action: Any) -> Any:
        return honest(self, action) if len(self.bets) < 2 else {}[self.hand]

    patch.setattr(parts.KuhnState, "apply", crash)


def a_number_beyond_its_bounds(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.KuhnState.view
    patch.setattr(parts.KuhnState, "view", lambda self, seat: replace(honest(self, seat), hand=-1))


def words_fail(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.Bet, "text", property(lambda self: dict[str, str]()["bet"]))


def places_from_nought(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.KuhnState, "outcome", lambda self: parts.Outcome((0, 1), tuple(self.chips)))


def never_ends(patch: pytest.MonkeyPatch, parts: Any) -> None:
    patch.setattr(parts.KuhnState, "apply", lambda self, action: [])


def a_word_of_python(patch: pytest.MonkeyPatch, parts: Any) -> None:
    honest = parts.KuhnState.deal

    def deal(self: Any) -> Any:
        events = honest(self)
        self.kind = "pass"
        return events

    patch.setattr(parts.KuhnState, "deal", deal)
    patch.setattr(parts.Kuhn, "kinds", ("pass",))


WHERE = r"kuhn-2-seats, seed \d+, after \d+ decisions"
LEAK = rf"{WHERE}, where .*: .*"
PLANTS: list[tuple[Plant, str, str]] = [
    (by_the_length_of_a_list, "nothing_hidden_shows", LEAK + r"tells seat \d what no event has told it: view.bets has"),
    (by_an_event, "nothing_hidden_shows", LEAK + r"Dealt\(seat=1.*\) tells seat 0 what its view hides \(Dealt.card"),
    (copy_shares_a_list, "copies_are_independent", rf"{WHERE}: .* on a copy, and the original has changed: chips\[0\]"),
    (view_shares_a_list, "views_stay_as_they_were", rf"{WHERE}: a view of seat 0 has changed .*: chips\[0\] is"),
    (world_contradicts, "worlds_agree_with_their_view", rf"{WHERE}: a world of seat \d contradicts .*: chips\[0\] is"),
    (world_deals_anew, "what_is_dealt_stays", rf"{WHERE}: the redealt state shows seat 0 something else: card is"),
    (old_luck_to_come, "what_is_dealt_stays", rf"{WHERE}: the redealt state has the old luck to come"),
    (luck_of_python, "a_match_is_its_seed_and_its_answers", rf"{WHERE}: .*all luck has to come from `chance`"),
    (luck_of_its_own, "a_match_is_its_seed_and_its_answers", rf"{WHERE}: from the same seed .*from `chance`"),
    (luck_of_one_name, "a_match_is_its_seed_and_its_answers", rf"{WHERE}: 'deal' is drawn from again"),
    (too_short, "no_match_is_longer_than_the_longest", rf"{WHERE}: somebody is asked.*, and `longest` is 40"),
    (a_word_of_python, "what_is_asked_is_a_choice_of_a_seat", rf"{WHERE}: kind is 'pass', and no method of a bot"),
    (never_ends, "what_is_asked_is_a_choice_of_a_seat", "seed 0, after 60 decisions: somebody is asked, and `longest`"),
    (crashes, "what_is_asked_is_a_choice_of_a_seat", rf"{WHERE}: KeyError: \d+"),
    (plays_all, "what_is_asked_is_a_choice_of_a_seat", rf"{WHERE}: seat 0 is asked, and has only Pass\(\) to answer"),
    (plays_all, "what_is_illegal_is_refused_and_changes_nothing", rf"{WHERE}: seat 0 may not answer Bet\(\), for"),
    (words_fail, "what_is_illegal_is_refused_and_changes_nothing", rf"{WHERE}: the words of Bet\(\) fail: KeyError"),
    (never_bets, "random_answers_are_the_legal_ones", rf"{WHERE}: Bet\(\) is legal for seat 0, and never drawn"),
    (crashes, "records_replay", rf"{WHERE}: KeyError: \d+"),
    (a_number_beyond_its_bounds, "values_travel", rf"{WHERE}: KuhnView\(.*\) does not travel: .*hand"),
    (places_from_nought, "places_fit_the_seats", rf"{WHERE}: the places are \(0, 1\): 1 is the best"),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "law", "said"), PLANTS, ids=[f"{plant.__name__}-{law}" for plant, law, _ in PLANTS])
def test_a_planted_mistake_is_found(
    plant: Plant, law: str, said: str, parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case,) = cases_of("kuhn")
    check = Check(LAW[law], case)
    check()
    plant(monkeypatch, parts)
    with pytest.raises(BrokenLaw, match=said):
        check()


class Bounded(Value, Action):
    below: Annotated[int, Meta(le=-20)]
    above: Annotated[int, Meta(ge=2**40)]
    more: Annotated[int, Meta(gt=3, lt=9)]
    word: Annotated[str, Meta(pattern="^a")]


def test_answers_at_random_reach_the_bounds_and_need_not_keep_them_all() -> None:
    rng, numbers, codec, kept = Random(1), set(), Codec((Bounded,), "action"), 0
    for _ in range(3000):
        answer: Any = any_action(Bounded, rng)
        numbers |= {answer.below, answer.above, answer.more}
        with suppress(MalformedMessage):
            kept += codec.read(codec.write(answer)) == answer
    assert numbers >= {2**31, 2**32, 2**53 - 1, 1 - 2**53, -20, 2**40, 4, 8}
    assert kept > 10


def test_what_no_record_can_hold_is_named(parts: Any) -> None:
    probe, refused = Probe(cases_of("kuhn")[0]), IllegalAction("none", None, "No.")  # type: ignore[arg-type]
    with pytest.raises(BrokenLaw, match=r"Bet\(\) is refused, and no record can hold that: AttributeError"):
        _is_recorded(probe, 0, parts.Bet(), refused)


@pytest.mark.parametrize(
    ("printed", "errors", "said"),
    [("hello", "", ""), ("", "Traceback\nKeyError: 'no'\n", "another process cannot play it: KeyError: 'no'$")],
)
def test_another_process_may_print_and_says_how_it_failed(
    printed: str, errors: str, said: str, parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = cases_of("kuhn")[0]
    whole = printed and f"{printed}\n{MARK}{digest(case)}\n{printed}"
    ended = SimpleNamespace(stdout=whole, stderr=errors, returncode=1)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: ended)
    with pytest.raises(BrokenLaw, match=said) if said else nullcontext():
        another_process_plays_the_same(Probe(case))


@pytest.mark.unmeasured
def test_the_tests_of_a_new_game_try_the_laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(bot, ["new-game", "my_game"]).exit_code == 0
    monkeypatch.setenv(VARIABLE, "my_game=my_game:GAME")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "my_game"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my_game"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert int(ended.stdout.split(" passed")[0].split()[-1]) > 3 * 15


def test_an_answer_that_nobody_saw_is_found(hearts: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """No luck is otherwise: a seat passed other cards, and the next seat sees them."""
    (case, *_) = cases_of("hearts")
    check = Check(LAW["nothing_hidden_shows"], case)
    kind = type(hearts.start(case.options, 4, chance(1))[0])
    honest = kind.view

    def leaking(self: Any, seat: int) -> Any:
        return replace(honest(self, seat), received=self.received[seat] or self.passed[seat - 1])

    monkeypatch.setattr(kind, "view", leaking)
    with pytest.raises(BrokenLaw, match=r"the question tells seat 3 what no event has told it: view.received"):
        check()


@pytest.mark.parametrize("name", WHEELS)
def test_the_wheels_use_no_name_that_begins_with_an_underscore(name: str) -> None:
    for file in (FOLDER / name / name).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            names += [node.attr] if isinstance(node, ast.Attribute) else []
            assert not [each for each in names if each.startswith("_") and each != "__init__"], file


@pytest.mark.unmeasured
@pytest.mark.parametrize("plant", [never_ends, crashes, plays_all, places_from_nought])
def test_whatever_is_wrong_every_law_is_tried(plant: Plant, parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, parts)
    for law in LAWS:
        if law.name != "another_process_plays_the_same":  # which has no such plant
            with suppress(BrokenLaw):
                Check(law, cases_of("kuhn")[0])()


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        (lambda self, options: range(0), "Error: kuhn is for [] seats: a match has two seats or more"),
        (lambda self, options: range(1, 3), "Error: kuhn is for [1, 2] seats: a match has two seats or more"),
        (lambda self, options: options.none, "Error: kuhn cannot say for how many seats it is: AttributeError"),
    ],
)
def test_a_game_without_seats_is_told(seats: Any, said: str, parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts.Kuhn, "seats", seats)
    assert said in CliRunner().invoke(main, ["check-game", "kuhn"]).stderr


def test_a_state_that_holds_itself_is_compared(parts: Any) -> None:
    """And what has no parts is, by its words."""
    ring: list[object] = [deque([1]), object()]
    ring.append(ring)
    twin: list[object] = [deque([2]), object()]
    twin.append(twin)
    assert held(SimpleNamespace(ring=ring)) == held(SimpleNamespace(ring=ring))
    assert difference(held(SimpleNamespace(ring=ring)), held(SimpleNamespace(ring=twin))) == "ring[0][0] is 1, not 2"


def test_the_command_says_what_is_broken(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_shares_a_list(monkeypatch, parts)
    ended = CliRunner().invoke(main, ["check-game", "kuhn"])
    assert ended.exit_code == 1
    assert "BROKEN   A copy is equal" in ended.stdout
    assert "Error: kuhn breaks" in ended.stderr
    assert CliRunner().invoke(main, ["check-game", "chess"]).exit_code == 2
