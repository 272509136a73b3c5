"""Serpent by its rulebook: every test names the clauses of RULES.md that it covers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pytest

from pips_referee.cards import CARDS, parse_card, parse_cards
from pips_referee.errors import IllegalAction, OptionsError
from pips_referee.games.serpent.rules import GAME, SerpentState
from pips_referee.games.serpent.scoring import points, score_hand
from pips_referee.games.serpent.values import (
    Answer,
    Dealt,
    Give,
    Given,
    HandScored,
    Lead,
    Played,
    Reason,
    Reveal,
    Revealed,
    SerpentAction,
    SerpentEvent,
    SerpentOptions,
)
from tests.rigged import RiggedChance

HAND_ONE = "5D 2H 3S  5C KH 4S 5H JS 6D 8H 8S 8D"
"""A pack's beginning: three cards for the defender, nine for the director."""
FOURTEEN = "5C 5D  2H KH  4S 3S  8H 5H  JS 8S  8D 6D"
"""The cards of HAND_ONE in the order in which they make the rulebook's board of 14
points.
"""


def start(deck: str = HAND_ONE, **options: int) -> tuple[SerpentState, list[SerpentEvent]]:
    return GAME.start(GAME.options(options), 2, RiggedChance({"deck/1": parse_cards(deck)}))


def dealt_out(deck: str, given: str, revealed: str) -> SerpentState:
    """The state at the first lead of a hand."""
    state, _ = start(deck)
    state.apply(Give(parse_cards(given)))
    state.apply(Reveal(parse_cards(revealed)))
    return state


def play(state: SerpentState, cards: str) -> list[SerpentEvent]:
    """Lead and answer with these cards; those that were played without a question are
    skipped.
    """
    events: list[SerpentEvent] = []
    for card in parse_cards(cards):
        if not any(isinstance(event, Played) and event.card == card for event in events):
            events += state.apply(Lead(card) if state.kind == "lead" else Answer(card))
    return events


def ranks(director: str, defender: str = ". . . . . .") -> list[int]:
    """A board from two rows of ranks; a dot is a cell where no card lies."""
    return [0 if rank == "." else parse_card(rank + "S").rank for rank in (director + " " + defender).split()]


def scored(events: Iterable[SerpentEvent]) -> list[HandScored]:
    return [event for event in events if isinstance(event, HandScored)]


def reason(state: SerpentState, action: SerpentAction) -> str:
    with pytest.raises(IllegalAction) as caught:
        state.apply(action)
    return str(caught.value.reason)


def play_first_legal(decks: dict[str, str], **options: int) -> tuple[SerpentState, list[SerpentEvent]]:
    """A match in which both seats always take the first legal answer, so that equal
    deals give equal scores.
    """
    chance = RiggedChance({name: parse_cards(deck) for name, deck in decks.items()})
    state, events = GAME.start(GAME.options(options), 2, chance)
    while state.to_ask is not None:
        events += state.apply(next(state.legal_actions()))
    return state, events


# S1 The match


def test_one_pack_is_shuffled_afresh_for_each_hand() -> None:
    """S1.1"""
    chance = RiggedChance({})
    state, events = GAME.start(SerpentOptions(max_tiebreaks=0), 2, chance)
    while state.to_ask is not None:
        events += state.apply(next(state.legal_actions()))
    deals = [event for event in events if isinstance(event, Dealt)]
    hands = [sorted((*(deal.hands[0] or ()), *(deal.hands[1] or ()))) for deal in deals]
    assert chance.asked == [f"deck/{number}" for number in range(1, 9)]
    assert all(len(hand) == len(set(hand)) == 12 and set(hand) <= set(CARDS) for hand in hands)
    assert len({tuple(hand) for hand in hands}) == 8
    assert set().union(*hands) > set(hands[0]), "the cards of one hand are back in the pack of the next"


def test_only_two_can_play() -> None:
    """S1.1"""
    assert list(GAME.seats(SerpentOptions())) == [2]


def test_eight_hands_directed_in_turn_from_seat_0() -> None:
    """S1.2"""
    _, events = play_first_legal({}, max_tiebreaks=0)
    deals = [(event.hand_number, event.director) for event in events if isinstance(event, Dealt)]
    assert deals == [(1, 0), (2, 1), (3, 0), (4, 1), (5, 0), (6, 1), (7, 0), (8, 1)]


@pytest.mark.parametrize("hands", [2, 6, 100])
def test_another_number_of_hands(hands: int) -> None:
    """S1.3"""
    state, events = play_first_legal({}, max_tiebreaks=0, hands=hands)
    deals = [(event.hand_number, event.director) for event in events if isinstance(event, Dealt)]
    assert deals == [(number, 1 - number % 2) for number in range(1, hands + 1)]
    assert state.view(0).hands == hands


@pytest.mark.parametrize("hands", [0, 7, 102, True, "8"])
def test_no_odd_number_of_hands_and_not_too_many(hands: object) -> None:
    """S1.3"""
    with pytest.raises(OptionsError, match="hands is a"):
        GAME.options({"hands": hands})


# S2 The deal


def test_three_to_the_defender_nine_to_the_director() -> None:
    """S2.1"""
    state, events = start()
    defender, director = parse_cards(HAND_ONE)[:3], parse_cards(HAND_ONE)[3:]
    assert events == [Dealt(1, 0, (tuple(sorted(director)), tuple(sorted(defender))))]
    assert (state.to_ask, state.kind) == (0, "give")
    assert state.view(0).hidden == tuple(sorted(director)) and state.view(1).hidden == tuple(sorted(defender))
    assert state.view(0).other_hidden_count == 3 and state.view(1).other_hidden_count == 9


def test_the_director_gives_three_of_nine() -> None:
    """S2.2"""
    state, _ = start()
    nine = state.view(0).hand
    assert set(state.legal_actions()) == {Give(three) for three in combinations(nine, 3)}
    assert reason(state, Give(nine[:2])) == Reason.WRONG_COUNT
    assert reason(state, Give(nine[:4])) == Reason.WRONG_COUNT
    assert reason(state, Give((nine[0], nine[1], nine[0]))) == Reason.SAME_CARD_TWICE
    assert reason(state, Give((*nine[:2], parse_card("AC")))) == Reason.NOT_IN_HAND
    assert reason(state, Give((*nine[:2], parse_card("2H")))) == Reason.NOT_IN_HAND, "the defender's"
    given = parse_cards("8S 8D 8H")
    assert state.apply(Give(given)) == [Given(given)], "in the order of the answer"
    assert state.view(1).face_up == state.view(0).other_face_up == parse_cards("8D 8H 8S")
    assert not set(state.view(0).hand) & set(given)


def test_the_director_turns_up_three_of_his_six() -> None:
    """S2.3"""
    state, _ = start()
    state.apply(Give(parse_cards("8H 8S 8D")))
    assert (state.to_ask, state.kind) == (0, "reveal")
    six = state.view(0).hand
    assert set(state.legal_actions()) == {Reveal(three) for three in combinations(six, 3)}
    assert reason(state, Reveal(six[:2])) == Reason.WRONG_COUNT
    assert reason(state, Reveal((six[0], six[0], six[1]))) == Reason.SAME_CARD_TWICE
    assert reason(state, Reveal((*six[:2], parse_card("8H")))) == Reason.NOT_IN_HAND, "it was given away"
    assert reason(state, Give(six[:3])) == Reason.WRONG_KIND
    shown = parse_cards("KH 4S 6D")
    assert state.apply(Reveal(shown)) == [Revealed(shown)]
    assert state.view(0).face_up == state.view(1).other_face_up == parse_cards("6D KH 4S")
    assert state.view(0).hidden == parse_cards("5C 5H JS") and state.view(1).other_hidden_count == 3


def test_six_cards_each_and_face_up_ones_are_part_of_the_hand() -> None:
    """S2.4"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    for seat in (0, 1):
        view = state.view(seat)
        assert (len(view.hidden), len(view.face_up), len(view.other_face_up), view.other_hidden_count) == (3, 3, 3, 3)
    assert set(state.legal_actions()) == {Lead(card) for card in parse_cards("5C 5H JS KH 4S 6D")}
    state.apply(Lead(parse_card("KH")))
    assert state.view(0).face_up == state.view(1).other_face_up == parse_cards("6D 4S"), "played from where it lay"
    assert state.view(0).hidden == parse_cards("5C 5H JS")
    state.apply(Answer(parse_card("8H")))
    assert state.view(1).face_up == parse_cards("8D 8S")


# S3 The order of play


def test_the_lead_snakes_through_six_columns() -> None:
    """S3.1, S3.2"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    plays = [event for event in play(state, FOURTEEN) if isinstance(event, Played)]
    assert [event.card for event in plays] == list(parse_cards(FOURTEEN))
    assert [event.column for event in plays] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert [event.is_lead for event in plays] == [True, False] * 6
    assert [number for number, event in enumerate(plays, 1) if event.seat == 0] == [1, 4, 5, 8, 9, 12]
    assert [number for number, event in enumerate(plays, 1) if event.seat == 1] == [2, 3, 6, 7, 10, 11]


def test_rows_fill_from_the_first_column() -> None:
    """S3.1"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    play(state, "5C 5D 2H")
    five, two = parse_card("5D"), parse_card("2H")
    assert state.view(0).my_row == state.view(1).other_row == (parse_card("5C"), None, None, None, None, None)
    assert state.view(1).my_row == state.view(0).other_row == (five, two, None, None, None, None)
    assert state.view(0).lead == two and state.view(1).lead is None


# S4 What may be played


def test_any_card_may_be_led() -> None:
    """S4.1"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    assert {action.card for action in state.legal_actions() if isinstance(action, Lead)} == set(state.view(0).hand)
    play(state, "5C 5D")
    assert (state.to_ask, state.kind) == (1, "lead")
    assert {action.card for action in state.legal_actions() if isinstance(action, Lead)} == set(state.view(1).hand)
    assert reason(state, Lead(parse_card("5C"))) == Reason.NOT_IN_HAND
    assert reason(state, Answer(parse_card("8H"))) == Reason.WRONG_KIND


def test_an_answer_shares_suit_or_rank_when_it_can() -> None:
    """S4.2"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    state.apply(Lead(parse_card("5H")))
    assert (state.to_ask, state.kind) == (1, "answer")
    fitting = parse_cards("2H 5D 8H")  # a hidden heart, the hidden five, a heart that lies face up
    assert set(state.legal_actions()) == {Answer(card) for card in fitting}
    assert set(state.view(1).playable) == set(fitting)
    for card in parse_cards("3S 8S 8D"):
        assert reason(state, Answer(card)) == Reason.MUST_FOLLOW
    assert reason(state, Answer(parse_card("KH"))) == Reason.NOT_IN_HAND
    assert reason(state, Lead(parse_card("2H"))) == Reason.WRONG_KIND


def test_face_up_cards_alone_oblige_too() -> None:
    """S4.2"""
    state = dealt_out("5D 2H 3S  5C KH 4S 5H JS 6D 8H 8C 9C", "8H 8C 9C", "KH 4S 6D")
    state.apply(Lead(parse_card("5C")))
    assert set(state.legal_actions()) == {Answer(card) for card in parse_cards("8C 9C 5D")}


def test_without_suit_or_rank_any_card_answers() -> None:
    """S4.3"""
    state = dealt_out("9D 2H 3S  5C KH 4S 5H JS 6D 8H 8S 8D", "8H 8S 8D", "KH 4S 6D")
    state.apply(Lead(parse_card("5C")))
    assert set(state.legal_actions()) == {Answer(card) for card in state.view(1).hand}
    assert len(state.view(1).playable) == 6


def test_the_only_card_allowed_is_played_without_a_question() -> None:
    """S4.4"""
    state = dealt_out("5D 2H 3S  5C KH 4S 5H JS 6D 8H 8S 8D", "8H 8S 8D", "KH 4S 6D")
    events = state.apply(Lead(parse_card("5C")))
    five = parse_card("5D")
    assert events == [Played(0, 0, parse_card("5C"), True), Played(1, 0, five, False)]
    assert (state.to_ask, state.kind) == (1, "lead"), "who answered leads"


def test_the_last_cards_of_a_hand_play_themselves() -> None:
    """S4.4"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    events = play(state, "5C 5D 2H KH 4S 3S 8H 5H JS 8S")
    assert [event.card for event in events if isinstance(event, Played)][-2:] == list(parse_cards("8D 6D"))
    assert isinstance(events[-1], Dealt) and state.kind == "give"


# S5 Pairs


@pytest.mark.parametrize(
    ("director", "defender", "worth"),
    [
        ("7 7 . . . .", ". . . . . .", 2),  # side by side
        (". . . . . .", ". . . . K K", 2),
        (". . A . . .", ". . A . . .", 2),  # one above the other
        ("7 . . . . .", ". 7 . . . .", 0),  # at a corner
        ("7 . 7 . . .", ". . . . . .", 0),  # apart
        ("7 . . . . 7", ". . . . . .", 0),  # the ends of a row do not meet
        (". . . . . 7", "7 . . . . .", 0),  # nor does one row go on in the other
    ],
)
def test_pairs_share_an_edge(director: str, defender: str, worth: int) -> None:
    """S5.1"""
    assert points(ranks(director, defender)) == worth


@pytest.mark.parametrize(
    ("director", "defender", "worth"),
    [
        ("7 7 7 . . .", ". . . . . .", 4),  # three in a line
        ("7 7 . . . .", "7 . . . . .", 4),  # three around a corner
        ("7 7 7 7 . .", ". . . . . .", 6),  # four in a line
        ("7 7 . . . .", "7 7 . . . .", 8),  # four in a square
        ("7 7 . . 9 4", "2 4 4 . 9 4", 8),  # four different pairs
    ],
)
def test_every_two_neighbours_count(director: str, defender: str, worth: int) -> None:
    """S5.2"""
    assert points(ranks(director, defender)) == worth


# S6 Runs


@pytest.mark.parametrize(
    ("director", "defender", "worth"),
    [
        ("4 5 6 . . .", ". . . . . .", 3),  # in order
        ("4 6 5 . . .", ". . . . . .", 3),  # in no order
        (". 5 4 . . .", ". 6 . . . .", 3),  # around a corner
        ("4 5 . . . .", ". . 6 . . .", 0),  # a corner does not connect
        ("4 5 . 6 . .", ". . . . . .", 0),  # nor does a gap between cells
        ("4 5 . . . .", ". . . . . .", 0),  # two are no run
        ("4 5 7 . . .", ". . . . . .", 0),  # a rank is missing
        ("4 5 4 . . .", ". . . . . .", 0),  # a repetition
        ("2 3 4 5 6 7", "K Q J 10 9 8", 12),  # all twelve
    ],
)
def test_runs_hang_together_and_are_unbroken(director: str, defender: str, worth: int) -> None:
    """S6.1"""
    assert points(ranks(director, defender)) == worth


def test_suits_do_not_matter_for_a_run() -> None:
    """S6.1"""
    state = dealt_out("6D 2H 3S  5C KH 4D 5H JS 9D 8H 8S 8D", "8H 8S 8D", "KH 4D 9D")
    [hand] = scored(play(state, "4D 6D 2H 5H 5C 3S 8S JS KH 8H 8D 9D"))
    assert any(len({hand.board[cell].suit for cell in run}) > 1 for run in hand.score.runs)


@pytest.mark.parametrize(
    ("director", "worth"),
    [("Q K A . . .", 3), ("K A 2 . . .", 3), ("A 2 3 . . .", 3), ("J Q K A 2 3", 6), ("Q K 2 . . .", 0)],
)
def test_the_ranks_are_a_circle(director: str, worth: int) -> None:
    """S6.2"""
    assert points(ranks(director)) == worth


def test_a_run_within_a_larger_run_scores_nothing() -> None:
    """S6.3"""
    score = score_hand(ranks("4 5 6 7 . ."))
    assert (score.points, score.runs) == (4, ((0, 1, 2, 3),)), "neither 4 5 6 nor 5 6 7 besides"


def test_a_run_that_only_two_cards_at_once_extend() -> None:
    """S6.3: 4 5 6 is within 4 5 6 7 8, though with the 7 alone it does not hang
    together and with the 8 is no run.
    """
    score = score_hand(ranks("4 5 6 8 7 K", "10 2 10 2 10 2"))
    assert (score.points, score.runs) == (5, ((0, 1, 2, 3, 4),))


def test_a_run_of_the_same_ranks_elsewhere_is_no_larger_run() -> None:
    """S6.3: the second 6 has a 7 beside it, but 4 5 6 with the first 6 lies within
    nothing larger.
    """
    score = score_hand(ranks("6 5 6 7 . .", ". 4 . . . ."))
    assert (score.points, score.runs) == (7, ((0, 1, 7), (1, 2, 3, 7)))


def test_runs_share_cards_with_runs_and_pairs() -> None:
    """S6.4"""
    score = score_hand(ranks("4 5 6 . . .", ". 5 . . . ."))
    assert (score.points, score.runs, score.pairs) == (5, ((0, 1, 2),), ((1, 7),)), "4 and the lower 5 are apart"
    score = score_hand(ranks("4 5 6 . . .", "4 . . . . ."))
    assert (score.points, score.runs, score.pairs) == (5, ((0, 1, 2),), ((0, 6),))
    score = score_hand(ranks("4 5 6 . . .", ". 4 . . . ."))
    assert (score.points, score.runs, score.pairs) == (6, ((0, 1, 2), (1, 2, 7)), ())


def test_the_rulebooks_board_of_nine() -> None:
    """S6.1, S6.2: a run of three, and one of six that goes round past the king."""
    score = score_hand(ranks("4 5 8 10 J Q", "8 6 5 2 A K"))
    assert (score.points, sorted(map(len, score.runs)), score.pairs) == (9, [3, 6], ())


def test_the_rulebooks_board_of_fourteen() -> None:
    """S5.2, S6.4: three pairs, and two runs of four which share three cards."""
    score = score_hand(ranks("5 K 4 5 J 6", "5 2 3 8 8 8"))
    assert (score.points, len(score.pairs), list(map(len, score.runs))) == (14, 3, [4, 4])


# S7 The score


def test_the_director_alone_scores_the_board() -> None:
    """S7.1"""
    state = dealt_out(HAND_ONE, "8H 8S 8D", "KH 4S 6D")
    events = play(state, FOURTEEN)
    [hand] = scored(events)
    assert (hand.hand_number, hand.director, hand.score.points, hand.totals) == (1, 0, 14, (14, 0))
    assert hand.board == parse_cards("5C KH 4S 5H JS 6D  5D 2H 3S 8H 8S 8D")
    assert (state.view(0).my_points, state.view(0).other_points) == (14, 0)
    assert (state.view(1).my_points, state.view(1).other_points) == (0, 14)


def test_totals_are_the_directors_hands_and_the_higher_one_wins() -> None:
    """S7.1, S7.2"""
    state, events = play_first_legal({})
    hands = scored(events)
    totals = [sum(hand.score.points for hand in hands if hand.director == seat) for seat in (0, 1)]
    assert list(hands[-1].totals) == totals == list(state.outcome().scores)
    assert totals[0] != totals[1] and len(hands) == 8
    assert state.outcome().places == ((1, 2) if totals[0] > totals[1] else (2, 1))
    assert (state.to_ask, state.kind, list(state.legal_actions())) == (None, "", [])


# S8 Ties

EVERY_DECK = {f"deck/{number}": HAND_ONE for number in range(1, 29)}
OTHER_DECK = "AC AD AH  3C 3D 3H 5C 5D 5H 7C 7D 7H"


def test_a_tie_is_played_on_two_hands_at_a_time() -> None:
    """S8.1"""
    state, events = play_first_legal(EVERY_DECK | {"deck/10": OTHER_DECK})
    hands = scored(events)
    assert hands[7].totals[0] == hands[7].totals[1]
    assert [(hand.hand_number, hand.director) for hand in hands[8:]] == [(9, 0), (10, 1)]
    assert hands[8].totals[0] > hands[8].totals[1], "ahead after one hand is not yet won"
    assert hands[8].score.points != hands[9].score.points and state.outcome().places in {(1, 2), (2, 1)}


def test_a_tie_may_last_several_times_two_hands() -> None:
    """S8.1"""
    state, events = play_first_legal(EVERY_DECK | {"deck/13": OTHER_DECK})
    assert len(scored(events)) == 14 and sorted(state.outcome().places) == [1, 2]


@pytest.mark.parametrize(("max_tiebreaks", "hands"), [(0, 8), (1, 10), (10, 28)])
def test_still_tied_after_the_last_tiebreak_is_a_draw(max_tiebreaks: int, hands: int) -> None:
    """S8.2"""
    state, events = play_first_legal(EVERY_DECK, max_tiebreaks=max_tiebreaks)
    assert len(scored(events)) == hands
    assert state.outcome().places == (1, 1) and len(set(state.outcome().scores)) == 1


def test_tiebreaks_follow_the_last_hand_whatever_its_number() -> None:
    """S1.3, S8.1"""
    state, events = play_first_legal(EVERY_DECK | {"deck/6": OTHER_DECK}, hands=4)
    assert [hand.hand_number for hand in scored(events)] == [1, 2, 3, 4, 5, 6]
    assert sorted(state.outcome().places) == [1, 2]


def test_a_thousand_tiebreaks_are_the_most() -> None:
    """S8.2; bots that refuse to score play them all"""
    every = {f"deck/{number}": HAND_ONE for number in range(1, 2003)}
    state, events = play_first_legal(every, max_tiebreaks=1000, hands=2)
    assert len(scored(events)) == state.view(0).max_hands == 2002
    assert state.outcome().places == (1, 1)
    with pytest.raises(OptionsError, match="max_tiebreaks is a whole number from 0 to 1000, not 1001"):
        GAME.options({"max_tiebreaks": 1001})


def test_ten_tiebreaks_by_default() -> None:
    """S8.2"""
    assert SerpentOptions() == SerpentOptions(max_tiebreaks=10)
