"""A replay as JSON is what docs/record.md says, and enough to referee a match from."""

from __future__ import annotations

import json
from collections import defaultdict
from enum import Enum
from itertools import groupby
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pips_referee.cards import Suit, parse_card, parse_cards
from pips_referee.game import REGISTRY, Action, Event, View, get_game
from pips_referee.games.serpent.values import Dealt, Given, Lead
from pips_referee.match import FaultKind
from pips_referee.records.record import read_record, write_record
from pips_referee.records.record_json import seen, to_json, truth
from pips_referee.words import kind_of
from tests.record_tables import MARK, PAGE, tables, values_of
from tests.records import new_header, play_random, random_record
from tests.stranger import Stranger
from tests.toy import Pick

Line = dict[str, Any]


def lines_of(data: bytes) -> list[Line]:
    return [json.loads(json.dumps(line)) for line in truth(read_record(data))]


def seen_by(data: bytes, seat: int) -> list[Line]:
    return [json.loads(json.dumps(line)) for line in seen(read_record(data), seat)]


def record_of(game: str, faults: dict[int, FaultKind] | None = None) -> bytes:
    """A match with the fewest seats, or with three if it goes on after a fault."""
    options: dict[str, object] = {"size": 3, "max_rounds": 3} if game == "dominion" else {}
    return random_record(game, 3 if faults else None, bytes([9] * 32), faults, **options)


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    """The schema on the page."""
    schema = json.loads(PAGE.read_text(encoding="utf-8").partition("```json\n")[2].partition("```")[0])
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def some_of_each(lines: list[Line]) -> list[Line]:
    """At most three lines of a kind."""
    kept: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        what: Line = line.get("event") or line.get("action") or line.get("view") or line
        kept[f"{line['line']} {what.get('kind')}"].append(line)
    return [line for same in kept.values() for line in same[:3]]


class TestPage:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_lines_of_every_kind_are_valid_under_the_schema(self, game: str, schema: Draft202012Validator) -> None:
        data = record_of(game)
        for line in some_of_each([*lines_of(data), *seen_by(data, 1)]):
            schema.validate(line)

    def test_so_is_every_line_of_a_match_that_the_autopilot_helped_to_end(self, schema: Draft202012Validator) -> None:
        data = record_of("wichita", {3: FaultKind.TIMEOUT})
        for line in [*lines_of(data), *some_of_each([line for seat in range(3) for line in seen_by(data, seat)])]:
            schema.validate(line)

    @pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.ILLEGAL])
    def test_so_is_every_fault(self, kind: FaultKind, schema: Draft202012Validator) -> None:
        *_, fault, outcome = lines_of(random_record(faults={3: kind}))
        assert (fault["line"], fault["kind"]) == ("fault", kind.value)
        schema.validate(fault)
        schema.validate(outcome)

    @pytest.mark.parametrize(
        "line",
        [
            {"line": "chance", "stream": "deck/1", "drawn": ["1S"]},
            {"line": "event", "event": {"seat": 1}},
            {"line": "event", "event": {"kind": "played"}, "more": 1},
            {"line": "rumour"},
        ],
    )
    def test_what_is_no_line_is_not(self, line: Line, schema: Draft202012Validator) -> None:
        assert not schema.is_valid(line)

    def test_the_tables_are_those_of_the_games(self) -> None:
        written = PAGE.read_text(encoding="utf-8").partition(MARK)[2]
        assert written == tables(), "python -m tests.record_tables writes them anew"

    def test_the_kinds_of_a_game_have_different_names(self) -> None:
        for game in REGISTRY:
            for base in (Action, Event):
                kinds = [kind_of(made.__name__) for made in values_of(game, base)]
                assert len(set(kinds)) == len(kinds) > 0
            assert len(values_of(game, View)) == 1


class TestTruth:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_it_begins_with_the_header_and_ends_with_the_outcome(self, game: str) -> None:
        data = record_of(game)
        record, lines = read_record(data), lines_of(data)
        assert [lines[0]["line"], lines[-1]["line"]] == ["header", "outcome"]
        assert bytes.fromhex(lines[0]["seed"]) == record.header.seed
        assert record.header.game.options(lines[0]["options"]) == record.header.options
        assert tuple(lines[-1]["places"]) == record.outcome.places
        assert {line["line"] for line in lines[1:-1]} == {"chance", "action", "event"}

    @pytest.mark.parametrize("game", REGISTRY)
    def test_every_answer_and_every_event_is_there_in_order(self, game: str) -> None:
        header = new_header(game, seed=bytes([4] * 32))
        match = play_random(header)
        lines = lines_of(write_record(header, match))
        actions = [line["action"] for line in lines if line["line"] == "action"]
        assert actions == [json.loads(json.dumps(to_json(reply.action))) for reply in match.history]
        events = [line["event"] for line in lines if line["line"] == "event"]
        assert events == [json.loads(json.dumps(to_json(event))) for event in match.log]
        kinds = {line["kind"] for line in lines if line["line"] == "action"}
        assert kinds <= set(get_game(game).kinds)

    def test_luck_stands_between_what_it_was_drawn_for_and_what_it_brought(self) -> None:
        lines = lines_of(record_of("serpent"))
        order = [kind for kind, _ in groupby(line["line"] for line in lines)]
        assert order[:4] == ["header", "chance", "event", "action"]
        for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
            if line["line"] == "chance":
                assert before["line"] in {"header", "action"}
                assert after["line"] == "event"

    def test_the_autopilots_answers_are_marked_and_its_luck_is_told(self) -> None:
        lines = lines_of(record_of("pippip", {4: FaultKind.TIMEOUT}))
        fault = next(line for line in lines if line["line"] == "fault")
        played = [(place, line) for place, line in enumerate(lines) if line["line"] == "action" and line["autopilot"]]
        assert {line["seat"] for _, line in played} == {fault["seat"]}
        assert {line["kind"] for _, line in played} == {None}
        for place, line in played:
            assert lines[place + 1]["stream"] == f"autopilot/{line['seat']}/{line['question']}"
        assert fault == {
            "line": "fault",
            "seat": fault["seat"],
            "kind": "timeout",
            "question": fault["question"],
            "reason": "reason",
            "detail": "a sentence",
            "evidence": "last words\n",
            "used_us": fault["used_us"],
            "credited_us": fault["credited_us"],
            "shared_by": fault["shared_by"],
            "thought_us": 0,
            "wire_us": 0,
        }
        assert lines[-1]["faults"][0]["kind"] == "timeout"

    def test_an_illegal_action_is_followed_by_its_fault(self) -> None:
        header = new_header()
        match = header.new_match()
        match.answer(Lead(parse_card("QS")))
        lines = lines_of(write_record(header, match))
        action, fault, outcome = lines[-3:]
        assert (action["line"], action["legal"], action["action"]) == ("action", False, {"kind": "lead", "card": "QS"})
        assert (fault["line"], fault["kind"], fault["reason"]) == ("fault", "illegal", "wrong_kind")
        assert outcome["places"] == [2, 1]


class TestStranger:
    @pytest.mark.parametrize("seed", range(3))
    def test_a_stranger_referees_a_match_of_serpent_again(self, seed: int) -> None:
        header, *lines = lines_of(random_record(seed=bytes([seed] * 32), max_tiebreaks=1))
        Stranger(header).follow(lines)

    def test_also_one_that_a_fault_ended(self) -> None:
        header, *lines = lines_of(random_record(faults={30: FaultKind.CRASH}))
        Stranger(header).follow(lines)

    @pytest.mark.parametrize(
        ("kind", "field", "value"),
        [("played", "card", "AC"), ("hand_scored", "totals", [0, 99]), ("dealt", "hands", [["AC"], ["KS"]])],
    )
    def test_and_sees_what_is_wrong(self, kind: str, field: str, value: object) -> None:
        header, *lines = lines_of(random_record())
        next(line["event"] for line in lines if line["line"] == "event" and line["event"]["kind"] == kind)[field] = (
            value
        )
        with pytest.raises(AssertionError):
            Stranger(header).follow(lines)


class TestSeen:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_a_seat_sees_its_questions_its_answers_and_the_events_as_it_saw_them(self, game: str) -> None:
        header = new_header(game, seed=bytes([6] * 32))
        match = play_random(header)
        data = write_record(header, match)
        lines = seen_by(data, 1)
        assert {line["line"] for line in lines} <= {"header", "question", "action", "event", "outcome"}
        assert lines[0]["seat"] == 1
        assert "seed" not in lines[0] and "nonce" not in lines[0]
        events = [line["event"] for line in lines if line["line"] == "event"]
        as_seen = [event.seen_by(1) for event in match.log]
        assert events == [json.loads(json.dumps(to_json(event))) for event in as_seen if event is not None]
        asked = [line["question"] for line in lines if line["line"] == "question"]
        assert asked == [line["question"] for line in lines if line["line"] == "action"]
        assert all(line["view"]["seat"] == 1 for line in lines if line["line"] == "question")

    def test_it_sees_no_hand_of_another(self) -> None:
        dealt = [
            line["event"] for line in seen_by(record_of("serpent"), 1) if line.get("event", {}).get("kind") == "dealt"
        ]
        assert {str(event["hands"][0]) for event in dealt} == {"None"}

    def test_an_event_that_it_may_not_see_at_all_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Given, "seen_by", lambda event, seat: event if seat == 0 else None)
        data = random_record()
        gives = [sum(line.get("event", {}).get("kind") == "given" for line in seen_by(data, seat)) for seat in range(2)]
        assert gives[0] >= 8
        assert gives[1] == 0

    def test_a_fault_is_seen_by_its_own_seat(self) -> None:
        data = record_of("pippip", {0: FaultKind.CRASH})
        faulted = read_record(data).outcome.faults[0].seat
        seen_fault = [any(line["line"] == "fault" for line in seen_by(data, seat)) for seat in range(3)]
        assert seen_fault == [seat == faulted for seat in range(3)]


class TestValues:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, None),
            (True, True),
            (7, 7),
            ("text", "text"),
            (parse_card("10H"), "10H"),
            (parse_cards("AC KS"), ["AC", "KS"]),
            (Suit.CLUBS, "C"),
            (Suit.SPADES, "S"),
            (FaultKind.WRONG_QUESTION, "wrong_question"),
            (Enum("Colour", "RED").RED, 1),  # type: ignore[attr-defined]  # the functional form
            (b"\x00\x02", [0, 2]),
            ({"QS": (1, None)}, {"QS": [1, None]}),
            (Lead(parse_card("2D")), {"kind": "lead", "card": "2D"}),
            (Pick(3), {"kind": "pick", "points": 3}),  # of a game that uses dataclasses
            (
                Dealt(1, 0, (None, parse_cards("3C"))),
                {"kind": "dealt", "hand_number": 1, "director": 0, "hands": [None, ["3C"]]},
            ),
        ],
    )
    def test_a_value_in_json(self, value: object, expected: object) -> None:
        assert to_json(value) == expected
        assert json.loads(json.dumps(to_json(value))) == expected

    def test_the_kind_of_a_view_is_its_questions(self) -> None:
        view = to_json(new_header().new_match().question().view)
        assert isinstance(view, dict)
        assert view["kind"] == "give"

    def test_what_has_no_form_is_refused(self) -> None:
        with pytest.raises(TypeError, match=r"1\.5 has no form in JSON"):
            to_json(1.5)
