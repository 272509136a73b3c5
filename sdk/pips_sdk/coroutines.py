"""Bots with `async` methods: the SDK awaits what such a method returns.

A bot that asks a server may await its answer. One question is answered at a time, so a
wait for one table is a wait for all tables of the process.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache, wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


def await_methods(bot: type, base_room: str) -> None:
    """Replace the class's `async` methods that the SDK calls by ones that wait.

    The SDK calls the methods that a class of the package `base_room` has. Other `async`
    methods stay as they are.
    """
    bases = [base for base in bot.__mro__[1:] if base.__module__.startswith(base_room)]
    for name, method in list(vars(bot).items()):
        if iscoroutinefunction(method) and any(name in vars(base) for base in bases):
            setattr(bot, name, _waiting(method))


def _waiting(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, called from the SDK as if it were none of asyncio's.

    Called from code that itself runs in a loop, it gives the coroutine to await.
    """
    from asyncio import get_running_loop  # loaded for such bots alone, before their matches

    @wraps(method)
    def wait(*given: Any, **named: Any) -> Any:
        try:
            get_running_loop()
        except RuntimeError:
            return _runner().run(method(*given, **named))
        return method(*given, **named)

    return wait


@cache
def _runner() -> asyncio.Runner:
    """One loop for the process: a client that a bot keeps stays usable."""
    from asyncio import Runner

    runner = Runner()
    atexit.register(runner.close)
    return runner
