"""An endpoint is asked again while it is busy, in time, and never tells a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from pips_sdk.model.endpoint import HIDDEN, TRIES, Endpoint, ModelReply, ModelUnreachable
from tests.model_stub import KEY, Stub, model_stub

ASKED = [{"role": "user", "content": "For example: answer: pass"}]


@dataclass
class FakeTime:
    """A clock that a pause advances."""

    now: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture
def stub() -> Iterator[Stub]:
    with model_stub() as serving:
        yield serving


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def endpoint(stub: Stub, time: FakeTime) -> Iterator[Endpoint]:
    made = Endpoint(stub.url, "m", KEY, {"temperature": 0}, time.sleep, time.clock)
    yield made
    made.close()


def test_a_reply_comes_with_its_tokens(stub: Stub, endpoint: Endpoint) -> None:
    assert endpoint.complete(ASKED, 10) == ModelReply("I think aloud.\nanswer: pass", 100, 10, 0, 1)
    assert stub.bodies == [{"temperature": 0, "model": "m", "messages": ASKED}]
    assert stub.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_after_longer_and_longer_pauses(
    stub: Stub, endpoint: Endpoint, time: FakeTime, status: int
) -> None:
    stub.troubles = [(status, {}, "busy")] * 3
    assert endpoint.complete(ASKED, 10).tries == 4
    assert time.pauses == [0.5, 1, 2]


def test_a_server_names_its_own_pause(stub: Stub, endpoint: Endpoint, time: FakeTime) -> None:
    stub.troubles = [(429, {"Retry-After": "7"}, ""), (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, "")]
    reply = endpoint.complete(ASKED, 10)
    assert (reply.tries, reply.ms, time.pauses) == (3, 8000, [7, 1])


def test_no_pause_is_longer_than_the_time_that_is_left(stub: Stub, endpoint: Endpoint, time: FakeTime) -> None:
    stub.troubles = [(429, {"Retry-After": "11"}, "slow down")]
    with pytest.raises(ModelUnreachable, match=r"status 429: slow down \(1 try; it is too late for another try\)"):
        endpoint.complete(ASKED, 10)
    assert time.pauses == []


def test_it_gives_up_after_some_tries(stub: Stub, endpoint: Endpoint, time: FakeTime) -> None:
    stub.troubles = [(503, {}, "")] * TRIES
    with pytest.raises(ModelUnreachable, match=f"status 503 \\({TRIES} tries\\)"):
        endpoint.complete(ASKED, 1000)
    assert len(time.pauses) == TRIES - 1


@pytest.mark.parametrize(
    ("status", "text", "why"),
    [
        (401, "Incorrect API key", "status 401: Incorrect API key"),
        (302, "elsewhere", "status 302: elsewhere"),
        (200, "[]", "is this a chat-completions server?"),
        (200, "no JSON", "is this a chat-completions server?"),
        (200, '{"choices": []}', "is this a chat-completions server?"),
        (200, '{"choices": [{"message": {"content": 7}}]}', "is no text"),
    ],
)
def test_what_another_try_would_not_change_is_said_at_once(
    stub: Stub, endpoint: Endpoint, status: int, text: str, why: str
) -> None:
    stub.troubles = [(status, {}, text)]
    with pytest.raises(ModelUnreachable) as error:
        endpoint.complete(ASKED, 10)
    assert why in str(error.value) and stub.url in str(error.value)
    assert stub.bodies == []


@pytest.mark.parametrize(
    "text", ['{"choices": [{"message": {"content": null}}]}', '{"choices": [{"message": {"content": ""}}]}']
)
def test_an_empty_reply_is_a_reply(stub: Stub, endpoint: Endpoint, text: str) -> None:
    stub.troubles = [(200, {}, text)]
    assert endpoint.complete(ASKED, 10) == ModelReply("")


def test_what_no_file_can_hold_is_replaced(stub: Stub, endpoint: Endpoint) -> None:
    stub.troubles = [(200, {}, '{"choices": [{"message": {"content": "a\\ud800b"}}]}')]
    assert endpoint.complete(ASKED, 10).text == "a?b"


def test_a_server_that_is_not_there_is_named(time: FakeTime) -> None:
    endpoint = Endpoint("http://127.0.0.1:9/v1", "m", KEY, {}, time.sleep, time.clock)
    with pytest.raises(ModelUnreachable, match=f"http://127.0.0.1:9/v1: ConnectError: .*{TRIES} tries"):
        endpoint.complete(ASKED, 1000)
    endpoint.close()


@pytest.mark.parametrize(
    "trouble", [(401, f"Bad key {KEY}!"), (200, f'{{"choices": [{{"message": {{"content": "{KEY}"}}}}]}}')]
)
def test_a_server_that_repeats_the_key_tells_it_to_nobody(
    stub: Stub, endpoint: Endpoint, trouble: tuple[int, str]
) -> None:
    stub.troubles = [(trouble[0], {}, trouble[1])]
    try:
        told = endpoint.complete(ASKED, 10).text
    except ModelUnreachable as error:
        told = str(error)
    assert HIDDEN in told and KEY not in told
    assert KEY not in repr(endpoint)
