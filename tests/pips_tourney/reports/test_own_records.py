"""What an author gets: no folders, and nothing that others printed."""

from __future__ import annotations

import pytest

from pips.v1 import record_pb2
from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_referee.match import FaultKind, Spent
from pips_referee.records.record import Header, read_record, replay, write_record
from pips_tourney.reports.own_records import own_record, without_folders

PRIVATE = 'File "/home/Mary Ann/their bot/x.py", line 3'


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("File /home/t/class/ada/bot.py, line 3", "File bot.py, line 3"),
        ("'/srv/x/y.py' and ~/z/a.txt", "'y.py' and a.txt"),
        ("1/2 of 3/4 points", "1/2 of 3/4 points"),
        ("\x1b[2J", "\\x1b[2J"),
        ('File "/home/Mary Ann/my bots/x.py", line 3', 'File "x.py", line 3'),
        ("cannot open /home/Mary Ann/x.py: no", "cannot open x.py: no"),
        ("open /home/O'Brien/x y/z.py", "open z.py"),
        ("'/home/O B/x.py' or \"/srv/it's mine/b.py\"", "'x.py' or \"b.py\""),
        ("/home/Mary  Ann/class 4 b/x.py and /etc/passwd", "x.py and passwd"),
        ("see /usr/lib/x.py line 3 and/or y, 1/2", "see x.py line 3 and/or y, 1/2"),
        ("/home/Mary Ann/x.py, line 3, 1/2", "x.py, line 3, 1/2"),
        ("PYTHONPATH=/home/Mary Ann/x:/srv/Bo B/y", "PYTHONPATH=x:y"),
        ("[Errno 2] No such file: '/home/Mary Ann'", "[Errno 2] No such file: '~'"),
        ("cannot enter /home/mary", "cannot enter ~"),
        ("https://a.org/b/c.html", "https://a.org/b/c.html"),
        ("file:///home/Mary Ann/x.py", "file:x.py"),
        ("//home//mary//x.py", "x.py"),
    ],
)
def test_folders_are_left_out(told: str, kept: str) -> None:
    assert without_folders(told) == kept


def test_a_record_plays_as_it_did_without_what_others_printed() -> None:
    game = get_game("serpent")
    header = Header("ab" * 16, game, game.options({}), ("ada", "bo"), bytes(32), bytes(32))
    match, luck = header.new_match(), Chance(bytes(32))
    first = match.to_ask
    assert first is not None
    match.fault(first, FaultKind.CRASH, "", PRIVATE, f"my print\n{PRIVATE}", Spent(1))
    while (seat := match.to_ask) is not None:
        match.answer(match.state.sample_action(luck.stream(f"{seat}/{match.number}")), Spent(1))
    whole = write_record(header, match)

    for seat, detail in ((first, 'File "x.py", line 3'), (1 - first, "")):
        own = own_record(header.match_id, whole, seat)
        assert own.name == "abababababab.pips"
        played = replay(read_record(own.data))
        assert (played.outcome.places, played.outcome.scores) == (match.outcome.places, match.outcome.scores)
        assert [(fault.seat, fault.detail) for fault in played.outcome.faults] == [(first, detail)]
        for said in (b"Mary", b"print"):
            assert said in whole and said not in own.data


def test_the_words_of_the_rules_on_an_illegal_answer_stay() -> None:
    game = get_game("serpent")
    header = Header("cd" * 16, game, game.options({}), ("ada", "bo"), bytes(32), bytes(32))
    match, luck = header.new_match(), Chance(bytes(32))
    message = record_pb2.MatchRecord()
    while (seat := match.to_ask) is not None:
        match.answer(match.state.sample_action(luck.stream(f"{seat}/{match.number}")), Spent(1))
    whole = write_record(header, match)
    message.ParseFromString(whole)
    message.answers[2].action.CopyFrom(message.answers[0].action)  # what was played already
    illegal = read_record(message.SerializeToString())
    again = illegal.header.new_match()
    for index in range(3):
        again.answer(header.wire.read_action(illegal.answers[index].action), Spent(1))
    while (seat := again.to_ask) is not None:
        again.answer(again.state.sample_action(luck.stream(f"{seat}/{again.number}")), Spent(1))
    [fault] = again.outcome.faults
    own = own_record(header.match_id, write_record(header, again), 1 - fault.seat)
    assert fault.kind is FaultKind.ILLEGAL
    assert replay(read_record(own.data)).outcome == again.outcome
