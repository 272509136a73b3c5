"""gRPC and the contract's messages, without what takes a third of a bot's start.

gRPC imports asyncio and its own classes for it. A bot that uses none of them never
loads them. Import gRPC from here before anything else does.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Final

UNUSED: Final = ("asyncio", "grpc.aio")


class _StandIn(ModuleType):
    """Stands where a library holds on to a module; loads it when something is used."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # an import with `from` asks for it first
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


_stand_ins = {name: _StandIn(name) for name in UNUSED if name not in sys.modules}
sys.modules.update(_stand_ins)

import grpc  # noqa: E402 - while they stand there

from pips.v1 import player_pb2  # noqa: E402 - the same

for _name, _stand_in in _stand_ins.items():
    if sys.modules.get(_name) is _stand_in:
        del sys.modules[_name]

__all__ = ["grpc", "player_pb2"]
