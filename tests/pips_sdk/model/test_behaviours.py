"""What a model's server may do: who pays for it, and what is said.

The endpoint's troubles give no reply, and a league makes the match void. What the model
says is the bot's: it plays, or its author reads why not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2
import pytest

from pips_referee.errors import UnreadableAnswer
from pips_referee.records.answers import parse
from pips_sdk.model.endpoint import MOST_BYTES, Endpoint, ModelUnreachable, note_in
from pips_sdk.model.markup import without_markup
from pips_sdk.serpent import position
from tests.model_stub import KEY
from tests.pips_sdk.model.test_endpoint import FakeTime

VIEW = position("hidden: QS 3C 7H | mine: 9S JH 8D | theirs: 9C 10H 3S")
RIGHT = "answer: lead QS"
Response = tuple[int, str, bytes] | Exception


def said(
    text: object = RIGHT, *, finish: object = "stop", usage: object = None, **more: object
) -> tuple[int, str, bytes]:
    """A response of the usual form."""
    message = {"role": "assistant", "content": text, **more}
    body: dict[str, Any] = {"choices": [{"message": message, "finish_reason": finish}]}
    return 200, "", json.dumps(body | ({} if usage is None else {"usage": usage})).encode()


def raw(content: bytes, status: int = 200, wished: str = "") -> tuple[int, str, bytes]:
    return status, wished, content


CUT = said()[2][:40]
PLAYS, LENIENT, BOT, ENDPOINT = "plays", "plays without its markup", "the bot", "the endpoint"
BEHAVIOURS: dict[str, tuple[list[Response], str, str]] = {
    # what comes, the last response again and again; who pays; what is said
    "an answer": ([said()], PLAYS, ""),
    "thoughts, then an answer": ([said(f"The queen wins.\n{RIGHT}")], PLAYS, ""),
    "the words alone": ([said("lead QS")], PLAYS, ""),
    "no usage": ([said(usage=None)], PLAYS, ""),
    "usage in words": ([said(usage={"prompt_tokens": "many", "completion_tokens": "few"})], PLAYS, ""),
    "usage that is a list": ([said(usage=[1, 2])], PLAYS, ""),
    "usage below nothing": ([said(usage={"prompt_tokens": -5})], PLAYS, ""),
    "usage that is no number": ([said(usage={"prompt_tokens": 1e400})], PLAYS, ""),
    "usage of 5,000 digits": (
        [raw(said()[2].replace(b'"usage": {', b'"usage": {"x": ' + b"9" * 5000 + b", "))],
        PLAYS,
        "",
    ),
    "a body in Latin-1": (
        [raw(f'{{"choices": [{{"message": {{"content": "Voil\xe0\\n{RIGHT}"}}}}]}}'.encode("latin-1"))],
        PLAYS,
        "",
    ),
    "reasoning beside the content": ([said(reasoning_content="hm")], PLAYS, ""),
    "content in parts": ([said([{"type": "text", "text": RIGHT}])], PLAYS, ""),
    "an answer, then cut at max_tokens": ([said(finish="length")], PLAYS, ""),
    "busy, then an answer": ([raw(b"busy", 503), said()], PLAYS, ""),
    "429 with a pause, then an answer": ([raw(b"slow down", 429, "1"), said()], PLAYS, ""),
    "429 with a date, then an answer": ([raw(b"slow", 429, "Wed, 21 Oct 2026 07:28:00 GMT"), said()], PLAYS, ""),
    "a body cut short, then an answer": ([raw(CUT), said()], PLAYS, ""),
    "an empty body, then an answer": ([raw(b""), said()], PLAYS, ""),
    "a connection that ends, then an answer": ([httpx2.ReadError("reset"), said()], PLAYS, ""),
    "a timeout, then an answer": ([httpx2.ReadTimeout("slow"), said()], PLAYS, ""),
    "bold": ([said("**answer: lead QS**")], LENIENT, ""),
    "backticks": ([said("`answer: lead QS`\nI hope.")], LENIENT, ""),
    "a fence": ([said("```\nlead QS\n```")], LENIENT, ""),
    "a list": ([said(f"My move:\n- {RIGHT}")], LENIENT, ""),
    "a draft in <think>": ([said(f"<think>\nanswer: lead 3C?\n</think>\n{RIGHT}")], LENIENT, ""),
    "only thoughts": ([said("<think>\nthe queen, or\nthe three")], BOT, "none begins with `answer:`"),
    "two answers": ([said(f"{RIGHT}\nanswer: lead 3C")], BOT, "2 lines that begin with `answer:`"),
    "an illegal answer": ([said("answer: lead KH")], BOT, "none of the legal answers"),
    "an empty reply": ([said("")], BOT, "the reply is empty"),
    "no content": ([said(None)], BOT, "the reply is empty"),
    "nothing before max_tokens": ([said("", finish="length")], BOT, "max_tokens was reached (finish_reason: length)"),
    "lines until max_tokens": (
        [said("a\nb", finish="length")],
        BOT,
        "[the reply was cut off: max_tokens was reached",
    ),
    "thoughts until max_tokens": (
        [said("<think>\nanswer: lead", finish="length")],
        BOT,
        "off while it was thinking: max",
    ),
    "a thought until max_tokens": ([said("<think>hm", finish="length")], BOT, "cut off while it was thinking: max"),
    "only reasoning": ([said("", finish="length", reasoning_content="hm")], BOT, "off while it was thinking: max_tok"),
    "a refusal": ([said(None, refusal="I do not gamble")], BOT, "the model refused: I do not gamble"),
    "calls of tools": ([said(None, tool_calls=[{}])], BOT, "the model called tools in place of an answer"),
    "a filter": ([said("", finish="content_filter")], BOT, "finish_reason: content_filter"),
    "400": ([raw(b"bad request", 400)], ENDPOINT, "status 400: bad request"),
    "401 that repeats the key": ([raw(KEY.encode(), 401)], ENDPOINT, "status 401: [key]"),
    "404": ([raw(b"no such model", 404)], ENDPOINT, "status 404: no such model"),
    "a redirect": ([raw(b"", 302)], ENDPOINT, "status 302"),
    "500 in turn": ([raw(b"oops", 500)], ENDPOINT, "status 500: oops (6 tries)"),
    "429 for an hour": ([raw(b"later", 429, "3600")], ENDPOINT, "it is too late for another try"),
    "an error with status 200": ([raw(b'{"error": {"message": "no credit"}}')], ENDPOINT, "no credit"),
    "a page": ([raw(b"<html>log in</html>")], ENDPOINT, "is this a chat-completions server?"),
    "other JSON": ([raw(b'{"completion": "lead QS"}')], ENDPOINT, "is this a chat-completions server?"),
    "no choices": ([raw(b'{"choices": []}')], ENDPOINT, "is this a chat-completions server?"),
    "content that is a number": ([said(7)], ENDPOINT, "is no text"),
    "bodies cut short for ever": ([raw(CUT)], ENDPOINT, "the response was cut short after 40 bytes (6 tries)"),
    "too much": ([raw(b" " * (MOST_BYTES + 1))], ENDPOINT, f"more than {MOST_BYTES}"),
    "nobody there": ([httpx2.ConnectError("refused")], ENDPOINT, "ConnectError: refused"),
    "silence": ([httpx2.ReadTimeout("slow")], ENDPOINT, "no reply within"),
}


@dataclass(frozen=True)
class Scripted(Endpoint):
    """An endpoint whose responses are written down."""

    script: tuple[Response, ...] = ()
    asked: Callable[[], int] = lambda: 0

    def _whole(self, *_: object) -> tuple[int, str, bytes]:
        response = self.script[min(self.asked(), len(self.script) - 1)]
        if isinstance(response, Exception):
            raise response
        return response


def outcome(endpoint: Endpoint) -> tuple[str, str]:
    """The bot that pays, and the words."""
    try:
        text = endpoint.complete([{"role": "user", "content": "?"}], 60).text
    except ModelUnreachable as error:
        return ENDPOINT, str(error)
    with suppress(UnreadableAnswer):
        parse(text, VIEW)
        return PLAYS, text
    with suppress(UnreadableAnswer):
        parse(without_markup(text), VIEW)
        return LENIENT, text
    with pytest.raises(UnreadableAnswer) as unreadable:
        parse(text, VIEW)
    return BOT, f"{unreadable.value} {note_in(text)}"


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_who_pays_for_what_a_server_does(behaviour: str) -> None:
    responses, pays, told = BEHAVIOURS[behaviour]
    time, numbers = FakeTime(), count()
    script = tuple(responses)
    endpoint = Scripted("http://model", "m", KEY, {}, time.sleep, time.clock, script=script, asked=numbers.__next__)
    paid, words = outcome(endpoint)
    assert paid == pays, words
    assert told in words
    assert KEY not in words


def test_there_are_enough_of_them() -> None:
    assert len(BEHAVIOURS) >= 43
