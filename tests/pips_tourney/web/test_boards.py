"""What is drawn of a match is what the match was.

At every question the board built from events is the view's.
"""

from __future__ import annotations

from typing import Any

import pytest

from pips_referee.game import get_game
from pips_referee.records.record import Header, read_record
from pips_referee.records.record_json import to_json
from pips_referee.records.replay import steps
from pips_tourney.web.boards import new_board
from pips_tourney.web.match.frames import replay_frames
from tests.pips_tourney.in_process import play

TABLES = [
    ("serpent", {}, 2),
    ("wichita", {}, 2),
    ("wichita", {"decks": 1}, 5),
    ("pippip", {}, 3),
    ("pippip", {"rules": "hervey"}, 2),
    ("dominion", {"size": 3}, 2),
    ("dominion", {}, 4),
]


def header(game: str, options: dict[str, Any], seats: int, number: int = 1) -> Header:
    rules = get_game(game)
    names = tuple(["ada", "bo", "cy", "dee", "eve"][:seats])
    return Header("match", rules, rules.options(options), names, bytes([number]) * 32)


def same_serpent(table: dict[str, Any], view: dict[str, Any]) -> None:
    me, other = view["seat"], 1 - view["seat"]
    assert (table["hand"], table["director"]) == (view["hand_number"], view["director"])
    assert sorted(table["hidden"][me]) == sorted(view["hidden"])
    assert len(table["hidden"][other]) == view["other_hidden_count"]
    assert sorted(table["open"][me]) == sorted(view["face_up"])
    assert sorted(table["open"][other]) == sorted(view["other_face_up"])
    assert [table["rows"][seat] for seat in (me, other)] == [
        [card for card in row if card] for row in (view["my_row"], view["other_row"])
    ]
    assert [table["totals"][seat] for seat in (me, other)] == [view["my_points"], view["other_points"]]


def same_wichita(table: dict[str, Any], view: dict[str, Any]) -> None:
    assert (table["player"], table["dice"]) == (view["player"], view["dice"])
    assert sorted(table["hands"][view["seat"]]) == sorted(view["hand"])
    assert [len(hand) for hand in table["hands"]] == view["hand_sizes"]
    assert (table["points"], table["stock"]) == (view["points"], view["stock_size"])
    assert sum(len(stack) for stacks in table["stacks"] for stack in stacks) == sum(view["laid"])


def same_pippip(table: dict[str, Any], view: dict[str, Any]) -> None:
    assert (table["hand"], table["hands"], table["dealer"]) == (view["hand_number"], view["hands"], view["dealer"])
    assert (table["trumps"], table["next"]) == (view["trumps"], view["next_trumps"])
    trick = [] if table["won"] is not None else [card for _, card in table["trick"]]
    assert trick == view["trick"]
    assert sorted(table["hidden"][view["seat"]]) == sorted(view["hidden"])
    assert [sorted(cards) for cards in table["open"]] == [sorted(cards) for cards in view["face_up"]]
    held = [len(hidden) + len(shown) for hidden, shown in zip(table["hidden"], table["open"], strict=True)]
    assert held == view["hand_counts"]
    assert (table["stock"], table["rest"]) == (view["stock_count"], view["rest"])
    assert (table["tricks"], table["points"]) == (view["tricks"], view["points"])


def same_dominion(table: dict[str, Any], view: dict[str, Any]) -> None:
    for here, there in (("size", "size"), ("cells", "playfield"), ("owners", "owners"), ("armies", "armies"),
                        ("round", "round"), ("rounds", "max_rounds"), ("turn", "turn"), ("turned", "turned"),
                        ("resigned", "resigned")):  # fmt: skip
        assert table[here] == view[there], here
    assert table["stock"] == 52 - len(view["discards"])


SAME = {"serpent": same_serpent, "wichita": same_wichita, "pippip": same_pippip, "dominion": same_dominion}


@pytest.mark.parametrize(("game", "options", "seats"), TABLES)
def test_every_seats_board_is_what_it_was_shown(game: str, options: dict[str, Any], seats: int) -> None:
    of = header(game, options, seats)
    record = read_record(play(of, bytes(32)))
    boards = [new_board(game, seats, of.options) for _ in range(seats)]
    asked = 0
    for step in steps(record):
        if step.question is not None:
            view: Any = to_json(step.question.view)
            SAME[game](boards[step.question.seat].table, view)
            asked += 1
        for event in step.events:
            for seat, board in enumerate(boards):
                seen: Any = to_json(event.seen_by(seat))
                if seen is not None:
                    board.tell(seen)
    assert asked > 20


def final_scores(game: str, table: dict[str, Any], seats: int) -> object:
    """The scores of the last table drawn."""
    if game == "wichita":
        return [points - len(hand) for points, hand in zip(table["points"], table["hands"], strict=True)]
    if game == "dominion":
        return [table["owners"].count(seat) for seat in range(seats)]
    return table["totals" if game == "serpent" else "points"]


@pytest.mark.parametrize(("game", "options", "seats"), TABLES)
def test_frames_add_up_to_the_end_of_the_record(game: str, options: dict[str, Any], seats: int) -> None:
    record = read_record(play(header(game, options, seats), bytes(32)))
    frames = replay_frames(record)
    assert len(frames) == 2 + sum(len(step.events) for step in steps(record))
    table: dict[str, Any] = {}
    for frame in frames:
        table |= frame["set"]
    assert frames[-1]["outcome"] == {"places": list(record.outcome.places), "scores": list(record.outcome.scores)}
    scores = final_scores(game, table, seats)
    assert scores == frames[-1]["outcome"]["scores"]
    assert not {"seat 0", "seat 1"} & {word for frame in frames for word in [frame["say"][:6]]}


@pytest.mark.parametrize("game", ["serpent", "wichita", "pippip"])
def test_a_seat_sees_its_own_cards_and_no_others(game: str) -> None:
    record = read_record(play(header(game, {}, 3 if game == "pippip" else 2), bytes(32)))
    for frame in replay_frames(record, 1):
        for seat, hand in enumerate(frame["set"].get("hidden", frame["set"].get("hands", []))):
            if seat != 1:
                assert set(hand) <= {None}
    assert any(None not in hand for frame in replay_frames(record) for hand in frame["set"].get("hidden", [["x"]]))


def test_a_fault_has_a_frame_of_its_own_and_the_autopilot_is_named() -> None:
    record = read_record(play(header("pippip", {}, 3), bytes(32), crash_at=5))
    frames = replay_frames(record)
    [fault] = [frame for frame in frames if frame.get("fault")]
    assert fault["fault"] == {"seat": record.outcome.faults[0].seat, "kind": "crash"}
    assert "a fault: crash: exit status 3" in fault["say"]
    assert fault["ms"] == 0.5
    assert any(frame.get("auto") for frame in frames)


def test_the_serpent_board_shows_what_scores_while_it_grows() -> None:
    record = read_record(play(header("serpent", {}, 2), bytes(32)))
    table: dict[str, Any] = {}
    for frame in replay_frames(record):
        before = dict(table)
        table |= frame["set"]
        if frame.get("kind") == "hand_scored":
            gained = [now - then for now, then in zip(table["totals"], before["totals"], strict=True)]
            assert sum(gained) == table["worth"] == 2 * len(table["pairs"]) + sum(map(len, table["runs"]))
