"""Questions of several tables answered at once, for bots that wait for others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from pips.v1 import player_pb2
from pips_sdk.table import BotTables


class Threads:
    """The threads in which the bots of a process answer, if one of them has several."""

    def __init__(self, tables: BotTables) -> None:
        self._tables = tables
        self._pool = ThreadPoolExecutor(tables.at_once, "answers")

    def answers(self, questions: Sequence[player_pb2.Question]) -> Iterator[player_pb2.Answer]:
        """The answers in the order of the questions, each as soon as it is its turn."""
        begun = [self._pool.submit(self._answer, question) for question in questions]
        for future in begun:
            yield future.result()

    def _answer(self, question: player_pb2.Question) -> player_pb2.Answer:
        answer = player_pb2.Answer()
        self._tables.ask(question, answer)
        return answer
