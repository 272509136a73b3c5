"""Bots with `async` methods: the SDK awaits what such a method returns.

A bot that asks a server may await its answer. With `at_once` above 1 the questions of
several tables are awaited together, in one loop of the process.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache, wraps
from threading import Thread
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio

CO_COROUTINE: Final = 0x80
"""Python's mark for the code of an `async def`, as `inspect` has it."""


def await_methods(bot: type, base_room: str) -> None:
    """Replace the class's `async` methods that the SDK calls by ones that wait.

    The SDK calls the methods that a class of the package `base_room` has. Other `async`
    methods stay as they are.
    """
    bases = [base for base in bot.__mro__[1:] if base.__module__.startswith(base_room)]
    for name, method in list(vars(bot).items()):
        if _is_async(method) and any(name in vars(base) for base in bases):
            setattr(bot, name, _waiting(method))


def _is_async(method: object) -> bool:
    """Whether it is called to be awaited.

    A bot without such methods and without decorators starts without `inspect`.
    """
    if isinstance(method, FunctionType) and not vars(method):
        return bool(method.__code__.co_flags & CO_COROUTINE)
    if not callable(method):
        return False
    from inspect import iscoroutinefunction

    return iscoroutinefunction(method)


def _waiting(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, called from the SDK as if it were none of asyncio's.

    Called from code that itself runs in a loop, it gives the coroutine to await.
    """
    from asyncio import get_running_loop, run_coroutine_threadsafe  # loaded for such bots alone, before their matches

    @wraps(method)
    def wait(*given: Any, **named: Any) -> Any:
        try:
            get_running_loop()
        except RuntimeError:
            called = method(*given, **named)
            if given[0].at_once > 1:
                return run_coroutine_threadsafe(called, _loop()).result()
            return _runner().run(called)
        return method(*given, **named)

    return wait


@cache
def _runner() -> asyncio.Runner:
    """One loop for the process: a client that a bot keeps stays usable."""
    from asyncio import Runner

    runner = Runner()
    atexit.register(runner.close)
    return runner


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop of bots that are asked at several tables at once, in a thread."""
    from asyncio import new_event_loop

    loop = new_event_loop()
    Thread(target=loop.run_forever, name="loop", daemon=True).start()
    return loop
