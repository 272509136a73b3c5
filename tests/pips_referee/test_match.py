"""One match: numbering, news, faults of every kind, the autopilot, places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips_referee.chance import Chance
from pips_referee.game import Event
from pips_referee.match import Fault, FaultKind, Match, Reply, Spent
from tests.toy import TOY, Pick, Picked, Secret, ToyOptions, ToyView

NO_ACTION = [kind for kind in FaultKind if kind is not FaultKind.ILLEGAL]


def new_match(seats: int = 2, turns: int = 3, seed: bytes = bytes(32)) -> Match:
    return Match(TOY, ToyOptions(turns), seats, Chance(seed))


def play(match: Match, *points: int) -> None:
    for number in points:
        assert match.answer(Pick(number)) is None


def secrets(match: Match) -> list[int]:
    return [event.number for event in match.log if isinstance(event, Secret)]


class TestQuestions:
    def test_the_first_question_tells_what_its_seat_may_see_of_the_start(self) -> None:
        match = new_match()
        question = match.question()
        assert (question.number, question.seat, question.kind) == (1, 0, "pick")
        assert question.view == ToyView(0, "pick", 0)
        assert question.events == (Secret(0, secrets(match)[0]),)

    def test_questions_are_numbered_by_seat(self) -> None:
        match = new_match(seats=3)
        asked = []
        for points in (1, 0, 2, 3, 1):
            asked.append((match.to_ask, match.number))
            play(match, points)
        assert asked == [(0, 1), (1, 1), (1, 2), (2, 1), (0, 2)]

    def test_news_is_what_happened_since_the_seat_was_last_asked_its_own_answer_first(self) -> None:
        match = new_match()
        play(match, 1, 2)
        assert match.question().events == (Picked(0, 1), Picked(1, None))
        play(match, 0)
        assert match.question().events == (Picked(0, 0),)

    def test_reading_a_question_changes_nothing(self) -> None:
        match = new_match()
        play(match, 1)
        assert match.question() == match.question()
        assert match.number == 1
        assert match.history[-1] == Reply(0, 1, Pick(1), None, Spent(), False, 2)

    @given(st.lists(st.integers(0, 3), max_size=12), st.integers(2, 5))
    def test_told_and_news_together_are_all_that_a_seat_may_see(self, picks: list[int], seats: int) -> None:
        match = new_match(seats, turns=4)
        heard: list[list[Event]] = [[] for _ in range(seats)]
        for points in picks:
            if match.to_ask is None:
                break
            question = match.question()
            assert match.told(question.seat) == tuple(heard[question.seat])
            heard[question.seat] += question.events
            play(match, points)
        for seat in range(seats):
            may_see = [seen for event in match.log if (seen := event.seen_by(seat)) is not None]
            assert [*match.told(seat), *match.news(seat)] == may_see
            assert match.told(seat) == tuple(heard[seat])

    def test_nobody_is_asked_when_the_match_is_over(self) -> None:
        match = new_match(turns=1)
        play(match, 1, 2)
        assert match.to_ask is None
        for ask in (match.question, lambda: match.number, lambda: match.answer(Pick(1))):
            with pytest.raises(AssertionError, match="the match is over"):
                ask()
        with pytest.raises(AssertionError):
            match.fault(0, FaultKind.TIMEOUT)


class TestTwoSeats:
    def test_places_and_scores_are_the_games(self) -> None:
        match = new_match(turns=2)
        play(match, 1, 3, 1, 2)
        outcome = match.outcome
        assert (outcome.places, outcome.scores, outcome.faults, outcome.questions) == ((2, 1), (2, 5), (), 4)

    def test_a_draw_is_a_shared_first_place(self) -> None:
        match = new_match(turns=1)
        play(match, 2, 2)
        assert match.outcome.places == (1, 1)

    def test_an_illegal_answer_is_a_fault_that_says_why_and_ends_the_match(self) -> None:
        match = new_match()
        play(match, 3)
        log = list(match.log)
        fault = match.answer(Pick(4), Spent(17))
        assert fault == Fault(1, FaultKind.ILLEGAL, 1, "too_high", "4 is more than 3")
        assert match.to_ask is None
        assert match.log == log
        assert match.history[-1] == Reply(1, 1, Pick(4), fault, Spent(17), False, len(log))
        outcome = match.outcome
        assert (outcome.places, outcome.scores, outcome.faults, outcome.questions) == ((1, 2), (3, 0), (fault,), 2)

    @pytest.mark.parametrize("kind", NO_ACTION)
    @pytest.mark.parametrize("seat", [0, 1])
    def test_any_other_fault_ends_it_too_whether_the_seat_was_asked_or_not(self, kind: FaultKind, seat: int) -> None:
        match = new_match()
        play(match, 3, 1)
        fault = match.fault(seat, kind, "reason", "a sentence", "its last words", Spent(5, 6, 7))
        assert fault == Fault(seat, kind, 2 - seat, "reason", "a sentence", "its last words")
        assert match.history[-1] == Reply(seat, 2 - seat, None, fault, Spent(5, 6, 7), False, len(match.log))
        assert match.to_ask is None
        assert match.outcome.places == ((2, 1), (1, 2))[seat]
        assert match.outcome.faults == (fault,)

    def test_who_is_ahead_loses_by_a_fault_all_the_same(self) -> None:
        match = new_match()
        play(match, 3, 1)
        match.fault(0, FaultKind.TIMEOUT)
        assert (match.outcome.places, match.outcome.scores) == ((2, 1), (3, 1))


class TestManySeats:
    def test_the_autopilot_plays_on_for_a_faulted_seat(self) -> None:
        match = new_match(seats=4, turns=3)
        play(match, 1, 1)
        match.fault(2, FaultKind.TIMEOUT)
        while match.to_ask is not None:
            assert match.to_ask != 2
            play(match, 1)
        replayed = [reply for reply in match.history if reply.by_autopilot]
        assert {reply.seat for reply in replayed} == {2}
        assert [reply.number for reply in replayed] == list(range(1, len(replayed) + 1))
        for reply in replayed:
            stream = Chance(bytes(32)).stream(f"autopilot/2/{reply.number}")
            assert reply.action == Pick(stream.randrange(4))
            assert reply.spent == Spent()

    def test_an_illegal_answer_is_replaced_by_the_autopilots(self) -> None:
        match = new_match(seats=3)
        assert match.answer(Pick(9)) is not None
        faulty, replaced = match.history[:2]
        assert (faulty.action, faulty.number, faulty.by_autopilot) == (Pick(9), 1, False)
        assert (replaced.seat, replaced.number, replaced.by_autopilot) == (0, 1, True)

    def test_the_earlier_fault_is_placed_lower_and_all_faults_below_the_clean(self) -> None:
        match = new_match(seats=5, turns=9)
        for seat, points in ((0, 3), (1, 1), (2, 3), (3, 2)):
            assert match.to_ask == seat
            play(match, points)
        match.fault(4, FaultKind.CRASH)
        match.fault(0, FaultKind.TIMEOUT)
        first, second = match.outcome.faults
        assert (first.seat, second.seat) == (4, 0)
        while match.to_ask is not None:
            play(match, 1)
        assert match.outcome.places[4] == 5
        assert match.outcome.places[0] == 4
        assert sorted(match.outcome.places[seat] for seat in (1, 2, 3)) in ([1, 2, 3], [1, 1, 3], [1, 2, 2], [1, 1, 1])

    def test_clean_seats_share_places_as_if_the_faulted_had_not_played(self) -> None:
        match = new_match(seats=4, turns=1)
        play(match, 1)
        match.fault(1, FaultKind.DISCONNECT)
        while match.to_ask is not None:
            play(match, 1)
        assert match.outcome.places == (1, 4, 1, 1)

    def test_it_ends_when_one_clean_seat_is_left(self) -> None:
        match = new_match(seats=4, turns=50)
        for seat in (1, 0, 3):
            assert match.to_ask is not None
            match.fault(seat, FaultKind.CRASH)
        assert match.to_ask is None
        assert match.outcome.places == (3, 4, 1, 2)

    def test_a_fault_of_a_seat_that_is_not_asked_leaves_the_question_as_it_is(self) -> None:
        match = new_match(seats=4)
        play(match, 1)
        before = match.question()
        fault = match.fault(0, FaultKind.WRONG_QUESTION)
        assert fault.question == 1
        assert match.question() == before
        play(match, 2)
        assert match.history[-1].number == 1

    def test_a_seat_faults_once(self) -> None:
        match = new_match(seats=4)
        match.fault(2, FaultKind.FLOOD)
        with pytest.raises(AssertionError):
            match.fault(2, FaultKind.FLOOD)

    def test_the_match_may_end_while_the_autopilot_plays(self) -> None:
        match = new_match(seats=3, turns=1)
        play(match, 1, 2)
        match.fault(2, FaultKind.TIMEOUT)
        assert match.to_ask is None
        assert match.history[-1].by_autopilot
        assert match.outcome.places == (2, 1, 3)

    def test_the_outcome_counts_the_questions_that_were_put_to_bots(self) -> None:
        match = new_match(seats=3, turns=2)
        play(match, 1)
        match.answer(Pick(4))
        while match.to_ask is not None:
            play(match, 1)
        by_bots = [reply for reply in match.history if not reply.by_autopilot]
        assert match.outcome.questions == len(by_bots) < len(match.history)


@st.composite
def courses(draw: st.DrawFn) -> tuple[int, bytes, list[tuple[str, int]]]:
    """Seats, a seed, and what happens: an answer, or a fault of some seat."""
    seats = draw(st.integers(2, 6))
    seed = draw(st.binary(min_size=32, max_size=32))
    happens = st.tuples(st.sampled_from(["answer"] * 6 + ["illegal", "fault"]), st.integers(0, 3))
    return seats, seed, draw(st.lists(happens, max_size=30))


def run_course(seats: int, seed: bytes, course: list[tuple[str, int]]) -> Match:
    match = new_match(seats, turns=4, seed=seed)
    for what, number in course:
        if match.to_ask is None:
            break
        clean = [seat for seat in range(seats) if seat not in match.faulted]
        if what == "fault":
            match.fault(clean[number % len(clean)], FaultKind.CRASH)
        else:
            match.answer(Pick(number + 4 * (what == "illegal")))
    while match.to_ask is not None:
        match.answer(Pick(1))
    return match


class TestAlways:
    @given(courses())
    def test_the_same_seed_answers_and_faults_give_the_same_match(
        self, course: tuple[int, bytes, list[tuple[str, int]]]
    ) -> None:
        one, other = run_course(*course), run_course(*course)
        assert (one.history, one.log, one.outcome) == (other.history, other.log, other.outcome)

    @given(courses())
    def test_the_log_is_cut_up_by_the_history_and_numbers_have_no_gaps(
        self, course: tuple[int, bytes, list[tuple[str, int]]]
    ) -> None:
        match = run_course(*course)
        starts = [reply.log_start for reply in match.history]
        assert starts == sorted(starts)
        for reply, end in zip(match.history, [*starts[1:], len(match.log)], strict=True):
            events = match.log[reply.log_start : end]
            expected = [Picked(reply.seat, reply.action.points)] if isinstance(reply.action, Pick) else []
            assert events == ([] if reply.fault else expected)
        for seat in range(match.seats):
            numbers = [reply.number for reply in match.history if reply.seat == seat and reply.fault is None]
            assert numbers == list(range(1, len(numbers) + 1))

    @given(courses())
    def test_places_are_places(self, course: tuple[int, bytes, list[tuple[str, int]]]) -> None:
        match = run_course(*course)
        outcome = match.outcome
        clean = sorted(outcome.places[seat] for seat in range(match.seats) if seat not in match.faulted)
        assert clean[0] == 1
        assert clean == [1 + sum(other < place for other in clean) for place in clean]
        assert [outcome.places[fault.seat] for fault in outcome.faults] == [
            match.seats - late for late in range(len(outcome.faults))
        ]
        assert len(outcome.faults) < match.seats
