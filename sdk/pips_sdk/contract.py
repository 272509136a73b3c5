"""gRPC and the contract's messages, without what a bot does not use of them.

gRPC imports asyncio and its own classes for it, and it and protobuf parts of Python's
library that they hardly use. All that takes half of a bot's start.
Import gRPC from here before anything else does.
"""

from typing import Final

from pips.later import loaded_later

UNUSED: Final = (
    "asyncio",
    "calendar",
    "grpc.aio",
    "inspect",
    "pkgutil",
    "socket",
    "textwrap",
    "tokenize",
)

with loaded_later(*UNUSED):
    import grpc

    from pips.v1 import player_pb2

__all__ = ["grpc", "player_pb2"]
