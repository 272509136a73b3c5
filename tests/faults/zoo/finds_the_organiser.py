"""Looks for the organiser's socket and makes every call there, with its only token.

It asks for hidden cards, and reports that its opponents' processes ended. If it finds
the socket it sees UNAUTHENTICATED. The standings show no fault.
"""

from pathlib import Path

import grpc

from pips.v1 import player_pb2, referee_pb2
from tests.faults.zoo.raw import Raw

CALLS = {
    "ListBots": referee_pb2.ListBotsRequest(),
    "Watch": referee_pb2.WatchRequest(open_cards=True),
    "RunMatch": referee_pb2.RunMatchRequest(
        ended=referee_pb2.ProcessEnded(process="ada/serpent/0", how="killed by SIGSEGV", launch=1000)
    ),
}


def listening() -> list[str]:
    """The words of the kernel's list of sockets; none where a sandbox keeps it back."""
    try:
        return Path("/proc/net/unix").read_text(encoding="utf-8").split()
    except PermissionError:
        return []


class Zoo(Raw):
    def answer(self, question: player_pb2.Question) -> None:
        if question.number == 3:
            words = listening()
            for path in {word for word in words if word.endswith("/organiser/socket")}:
                with grpc.insecure_channel(f"unix:{path}") as channel:
                    for method, request in CALLS.items():
                        status = self.call(method, channel, request.SerializeToString())
                        if "UNAUTHENTICATED" not in status and "UNAVAILABLE" not in status:
                            self.boast(question, status)
                            return
        super().answer(question)


Zoo().play()
