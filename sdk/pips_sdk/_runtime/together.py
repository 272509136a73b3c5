"""Answers to several tables at once, for bots that wait for servers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from pips.v1 import player_pb2
from pips_sdk._runtime.table import BotTables


class Threads:
    """The threads in which a process's bots answer if `at_once` is above 1."""

    def __init__(self, tables: BotTables) -> None:
        self._tables = tables
        self._pool = ThreadPoolExecutor(tables.at_once, "answers")

    def answers(self, questions: Sequence[player_pb2.Question]) -> Iterator[player_pb2.Answer]:
        """The answers in the order of the questions, each as soon as its turn comes.

        An answer that exceeds its time delays no other.
        """
        begun = [self._pool.submit(self._answer, question) for question in questions]
        for question, future in zip(questions, begun, strict=True):
            try:
                yield future.result(question.time_left_ms / 1000 or None)
            except TimeoutError:
                failed = f"it did not answer within {question.time_left_ms} ms"
                print(f"table {question.table}, question {question.number}: {failed}", file=sys.stderr)
                yield player_pb2.Answer(table=question.table, number=question.number, failed=failed)

    def _answer(self, question: player_pb2.Question) -> player_pb2.Answer:
        answer = player_pb2.Answer()
        self._tables.ask(question, answer)
        return answer
