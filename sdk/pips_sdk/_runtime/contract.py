"""gRPC and the contract's messages, without modules that take a third of a bot's start.

gRPC imports asyncio and defines classes for it. They are loaded only when a bot uses
them. Import gRPC through this module before anything else does.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Final

UNUSED: Final = ("asyncio", "grpc.aio")


class _StandIn(ModuleType):
    """Replaces a module until an attribute is used, then loads it."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # `from ... import` looks it up first
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


_stand_ins = {name: _StandIn(name) for name in UNUSED if name not in sys.modules}
sys.modules.update(_stand_ins)

import grpc  # noqa: E402 - while the stand-ins are in place

from pips.v1 import player_pb2  # noqa: E402 - as above

for _name, _stand_in in _stand_ins.items():
    if sys.modules.get(_name) is _stand_in:
        del sys.modules[_name]

__all__ = ["grpc", "player_pb2"]
