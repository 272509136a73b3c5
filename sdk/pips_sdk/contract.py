"""gRPC and the contract's messages, without what a bot does not use of them.

gRPC imports asyncio and its own classes for it, and protobuf its Python version. They
take a third of a bot's start. Import them from here before anything else does.
"""

from pips_sdk.later import loaded_later

with loaded_later("asyncio", "grpc.aio", "google.protobuf.internal.python_message"):
    import grpc

    from pips.v1 import player_pb2

__all__ = ["grpc", "player_pb2"]
