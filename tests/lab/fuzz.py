"""Mutated messages to a live referee, while honest players play beside the senders.

    python -m tests.lab.fuzz [--messages 100000] [--seed 0]

The referee must stay up and small. Every match must end, with no faults except those of
the fuzzers. The records of matches between honest players must be those of an
undisturbed evening. `make lab WHAT=fuzz` sends 100,000 messages, `make test` few.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Final

import grpc
from google.protobuf.message import DecodeError

from pips.v1 import player_pb2, record_pb2, referee_pb2
from pips_referee.records.record import Header, verify
from pips_referee.wire import get_wire
from tests.contract.cases import CASES
from tests.contract.test_hostile import changed
from tests.faults.referee import Organiser, Player, Referee, Stream, answer, dial, live_referee, open_channel
from tests.records import new_header
from tests.same_night import timeless

FUZZERS: Final = ("fox", "weasel", "stoat")
OPPONENTS: Final = ("cy", "dee", "eve")
HONEST: Final = ("ada", "bo", "gus")
GAMES: Final = {"serpent": 2, "wichita": 3, "pippip": 3, "dominion": 2}
SEEDS: Final = 3
TABLES: Final = 3
"""Tables of every fuzzer, and of the honest players."""
PATIENT: Final = referee_pb2.Clock(answer_ms=20_000)
HASTY: Final = referee_pb2.Clock(answer_ms=2_000)
ENDS_S: Final = 30.0
"""A stream with malformed bytes has to end within this time."""
STUCK_S: Final = 300.0
"""No match takes longer than this, even on a busy machine."""
MOST_BYTES: Final = 200_000_000
ACTIONS: Final = {
    case.game_name: [state.sample_action(Random(number)) for number, state in enumerate(case.positions(1, 10))]
    for case in CASES
}

Mutation = Callable[["Fuzzer", player_pb2.PlayRequest], Iterator[bytes]]


@dataclass
class Sent:
    """Messages sent to the referee, and how the referee coped."""

    wanted: int
    messages: Counter[str] = field(default_factory=Counter)
    """Mutated messages, by mutation."""
    streams: int = 0
    aborted: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    matches: int = 0
    honest_matches: int = 0
    first_bytes: int = 0
    most_bytes: int = 0

    @property
    def is_enough(self) -> bool:
        return self.messages.total() >= self.wanted


class Fuzzer:
    """A bot with a token that sends anything, and comes back when cut off."""

    def __init__(self, referee: Referee, name: str, sent: Sent, others: list[Player], rng: Random) -> None:
        self.name, self.sent, self.others, self.rng = name, sent, others, rng
        self.starts: dict[int, player_pb2.Start] = {}
        self.questions: deque[player_pb2.Question] = deque(maxlen=50)
        self.answered: deque[player_pb2.Answer] = deque(maxlen=50)
        self._referee = referee
        self._token, self._session_key = referee.token(name), b""

    async def run(self) -> None:
        """Run until enough was sent."""
        async with open_channel(self._referee) as channel:
            while not self.sent.is_enough:
                assert self._referee.is_up
                self.sent.streams += 1
                stream = dial(channel)
                listening: asyncio.Task[None] | None = None
                with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    if await self._is_let_in(stream):
                        listening = asyncio.create_task(self._listen(stream))
                        await self._misbehave(stream, listening)
                stream.cancel()
                if listening is not None:
                    await asyncio.wait([listening])

    async def _is_let_in(self, stream: Stream) -> bool:
        hello = player_pb2.Hello(protocol_version=1, bot_name=self.name, games=list(GAMES), token=self._token)
        hello.session_key = self._session_key
        data = player_pb2.PlayRequest(hello=hello).SerializeToString()
        if self.rng.random() < 0.2:
            self.sent.messages["a hello"] += 1
            data = changed(data, self.rng)
        await stream.write(data)
        welcome = await stream.read()
        if not isinstance(welcome, player_pb2.PlayResponse):
            return False
        self._session_key = welcome.welcome.session_key
        self.starts.clear()
        self._hear(welcome)
        return True

    def _hear(self, message: player_pb2.PlayResponse) -> None:
        self.starts |= {start.table: start for start in message.starts}
        self.questions += message.questions
        for finish in message.finishes:
            self.starts.pop(finish.table, None)

    async def _listen(self, stream: Stream) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
            while isinstance(message := await stream.read(), player_pb2.PlayResponse):
                self._hear(message)

    async def _misbehave(self, stream: Stream, listening: asyncio.Task[None]) -> None:
        """Send message after message until either end closes the stream."""
        while not listening.done() and not self.sent.is_enough:
            if not self.questions and self.rng.random() < 0.8:
                await asyncio.sleep(0.002)
                continue
            honest = self._honest()
            if self.rng.random() < 0.35:
                await stream.write(honest.SerializeToString())
                await asyncio.sleep(0)
                continue
            name, mutation = self.rng.choice(MUTATIONS)
            for data in mutation(self, honest):
                await stream.write(data)
                self.sent.messages[name] += 1
                if not is_message(data):
                    await self._is_sent_away(stream, listening)
                    return
            await asyncio.sleep(0)
            if self.rng.random() < 0.002:
                await stream.done_writing()
                return

    async def _is_sent_away(self, stream: Stream, listening: asyncio.Task[None]) -> None:
        async with asyncio.timeout(ENDS_S):
            await asyncio.wait([listening])
        if await stream.code() is grpc.StatusCode.ABORTED:
            self.sent.aborted[(await stream.details()).partition(":")[0]] += 1
        else:  # too large to be read
            assert await stream.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            self.sent.aborted["too large"] += 1

    def _honest(self) -> player_pb2.PlayRequest:
        """Return legal answers to some of the open questions, in order."""
        request = player_pb2.PlayRequest()
        for _ in range(min(len(self.questions), self.rng.choice((1, 1, 2, 5)))):
            question = self.questions.popleft()
            if question.table in self.starts:
                request.answers.append(answer(self.starts[question.table], question))
        self.answered += request.answers
        return request


def is_message(data: bytes) -> bool:
    try:
        player_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return False
    return True


# --- mutations: from a valid message to some invalid ones


def _bytes(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    yield changed(request.SerializeToString(), fuzzer.rng)


def _numbers(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    for given in request.answers:
        given.number = fuzzer.rng.choice((0, given.number - 1, given.number + 1, 2**32 - 1))
    yield request.SerializeToString()


def _tables(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    """Yield answers at other tables, whose numbers no bot is given."""
    foreign = [table for other in fuzzer.others for table in other.starts]
    for given in request.answers:
        given.table = fuzzer.rng.choice([0, fuzzer.rng.getrandbits(32), *fuzzer.starts, *foreign])
    yield request.SerializeToString()


def _others_answers(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    """Yield answers in other bots' places."""
    for other in fuzzer.others:
        for table in list(other.starts):
            request.answers.add(table=table, number=fuzzer.rng.randrange(1, 30)).failed = "as you wish"
    yield request.SerializeToString()


def _actions(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    """Yield actions of another moment or another game."""
    for given in request.answers:
        start = fuzzer.starts.get(given.table)
        game = start.game if start and fuzzer.rng.random() < 0.7 else fuzzer.rng.choice(list(ACTIONS))
        get_wire(game).write_action(fuzzer.rng.choice(ACTIONS[game]), given.action)
    yield request.SerializeToString()


def _no_reply(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    for given in request.answers:
        given.ClearField("reply")
    yield request.SerializeToString()


def _failures(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    for given in request.answers:
        given.failed = fuzzer.rng.choice(("", "\0", "x" * fuzzer.rng.randrange(20_000), "\N{PILE OF POO}" * 400))
    yield request.SerializeToString()


def _order(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    answers = list(request.answers)
    fuzzer.rng.shuffle(answers)
    yield player_pb2.PlayRequest(answers=answers).SerializeToString()


def _twice(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    yield request.SerializeToString()
    yield request.SerializeToString()


def _old_answers(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    yield player_pb2.PlayRequest(answers=list(fuzzer.answered)[: fuzzer.rng.randrange(20)]).SerializeToString()


def _another_hello(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    request.hello.protocol_version = fuzzer.rng.choice((0, 1, 2**32 - 1))
    request.hello.token = fuzzer.rng.randbytes(50)
    yield request.SerializeToString()


def _noise(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    yield fuzzer.rng.randbytes(fuzzer.rng.randrange(200))


def _unknown_fields(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    """Yield messages with unknown fields, which the referee ignores."""
    yield request.SerializeToString() + b"\x9a\x06\x05extra"


def _empty(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    for _ in range(70 if fuzzer.rng.random() < 0.05 else 1):
        yield b""


def _much(fuzzer: Fuzzer, request: player_pb2.PlayRequest) -> Iterator[bytes]:
    """Yield many answers or large ones, now and then above the message limit."""
    if fuzzer.rng.random() < 0.9:
        yield request.SerializeToString() + b"\x12\x00" * fuzzer.rng.randrange(2_000)
    else:
        yield b"\x9a\x06\x80\x80\x20" + bytes(1 << 19) if fuzzer.rng.random() < 0.8 else b"\x12\x00" * (1 << 19) + b"\0"


MUTATIONS: Final[list[tuple[str, Mutation]]] = [
    (name, mutation)
    for name, weight, mutation in [
        ("bytes", 8, _bytes), ("numbers", 3, _numbers), ("tables", 3, _tables), ("others' tables", 2, _others_answers),
        ("actions", 3, _actions), ("no reply", 1, _no_reply), ("failures", 1, _failures), ("order", 2, _order),
        ("twice", 1, _twice), ("old answers", 2, _old_answers), ("another hello", 1, _another_hello),
        ("noise", 1, _noise), ("unknown fields", 1, _unknown_fields), ("empty", 1, _empty), ("much", 1, _much),
    ]
    for _ in range(weight)
]  # fmt: skip


# --- the evening


def match_header(game: str, seed: int, match_id: str) -> Header:
    options = {"max_tiebreaks": 0} if game == "serpent" else {"max_rounds": 5} if game == "dominion" else {}
    header = new_header(game, GAMES[game], bytes([seed] * 32), **options)
    return Header(match_id, header.game, header.options, header.names, header.seed, header.nonce)


def honest_headers() -> list[Header]:
    return [match_header(game, seed, f"honest-{game}-{seed}") for game in GAMES for seed in range(SEEDS)]


async def undisturbed() -> dict[str, bytes]:
    """Return the honest players' records without times, if nobody else is there."""
    async with live_referee() as referee:
        players = [asyncio.create_task(Player(referee, name).play()) for name in HONEST]
        organiser = Organiser(referee)
        await organiser.connected(*HONEST)
        records = [await organiser.play(header, HONEST[: len(header.names)], PATIENT) for header in honest_headers()]
        await organiser.close()
        for player in players:
            player.cancel()
    assert not any(record.outcome.faults for record in records)
    return {record.header.match_id: timeless(record) for record in records}


async def fuzz(messages: int, seed: int = 0) -> Sent:
    """Send this many mutated messages.

    Raises `AssertionError` if anything is hurt that should not be.
    """
    expected, sent = await undisturbed(), Sent(messages)
    async with live_referee() as referee:
        honest = [Player(referee, name, think_s=0.005) for name in HONEST]
        opponents = [Player(referee, name) for name in OPPONENTS]
        organiser = Organiser(referee)
        playing = [asyncio.create_task(player.play()) for player in [*honest, *opponents]]
        await organiser.connected(*HONEST, *OPPONENTS)
        for name in (*HONEST, *OPPONENTS):
            await organiser.tell_started(
                name, os.getpid()
            )  # on a busy machine players are not charged for their wait for the core
        sent.first_bytes = referee.resident_bytes
        fuzzers = [Fuzzer(referee, name, sent, [*honest, *opponents], Random(f"{seed}/{name}")) for name in FUZZERS]
        async with asyncio.TaskGroup() as group:
            for fuzzer in fuzzers:
                group.create_task(fuzzer.run())
            for lane in range(TABLES):
                group.create_task(_play_honestly(organiser, expected, sent, lane))
                for number, name in enumerate(FUZZERS):
                    group.create_task(_play_against(organiser, name, Random(f"{seed}/{lane}/{number}"), sent, lane))
            group.create_task(_watch_memory(referee, sent))
        assert referee.is_up
        for task in playing:
            assert not task.done(), "the stream of an honest player was ended"
            task.cancel()
        await organiser.close()
    return sent


async def _play_honestly(organiser: Organiser, expected: dict[str, bytes], sent: Sent, lane: int) -> None:
    """Play the same matches of honest players until enough was sent."""
    headers = honest_headers()[lane::TABLES]
    while not sent.is_enough or sent.honest_matches < len(expected):
        for header in headers:
            async with asyncio.timeout(STUCK_S):
                record = await organiser.play(header, HONEST[: len(header.names)], PATIENT)
            assert timeless(record) == expected[header.match_id], header.match_id
            sent.honest_matches += 1


async def _play_against(organiser: Organiser, fuzzer: str, rng: Random, sent: Sent, lane: int) -> None:
    """Play matches of a fuzzer against innocent opponents."""
    for number in count():
        if sent.is_enough:
            return
        game = rng.choice(list(GAMES))
        players = [fuzzer, *OPPONENTS[: GAMES[game] - 1]]
        rng.shuffle(players)
        header = match_header(game, rng.randrange(256), f"{fuzzer}-{lane}-{number}")
        async with asyncio.timeout(STUCK_S):
            record = await organiser.play(header, players, HASTY)
        sent.matches += 1
        for fault in record.outcome.faults:
            assert players[fault.seat] == fuzzer, f"{players[fault.seat]} was faulted: {fault}"
            sent.faults[record_pb2.FaultKind.Name(fault.kind).removeprefix("FAULT_KIND_").lower()] += 1
        if number % 10 == 0:
            verify(record.SerializeToString())


async def _watch_memory(referee: Referee, sent: Sent) -> None:
    told = 0
    while not sent.is_enough:
        if (done := 10 * sent.messages.total() // sent.wanted) > told:
            told = done
            print(f"  {sent.messages.total()} messages, {sent.matches} and {sent.honest_matches} matches", flush=True)
        sent.most_bytes = max(sent.most_bytes, referee.resident_bytes)
        assert sent.most_bytes < MOST_BYTES
        await asyncio.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Send mutated messages to a live referee.")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    begun = time.monotonic()
    sent = asyncio.run(fuzz(chosen.messages, chosen.seed))
    print(f"{sent.messages.total()} mutated messages on {sent.streams} streams in {time.monotonic() - begun:.0f} s")
    print("  by mutation:", ", ".join(f"{name} {times}" for name, times in sent.messages.most_common()))
    print("  streams ended by the referee:", dict(sent.aborted))
    print(f"  {sent.matches} matches with a fuzzer, faults: {dict(sent.faults)}")
    print(f"  {sent.honest_matches} matches without one, each as in an undisturbed evening")
    print(
        f"  the referee's memory: {sent.first_bytes / 1e6:.0f} MB at the start, {sent.most_bytes / 1e6:.0f} MB at most"
    )


if __name__ == "__main__":
    main()
