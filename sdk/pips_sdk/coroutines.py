"""Bots with `async` methods: the SDK awaits what such a method returns.

A bot that asks a server may await its answer. With `at_once` above 1, answers for
several tables are awaited together, in one event loop.
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
"""Python's flag for the code of an `async def`, as in `inspect`."""


def await_methods(bot: type, base_room: str) -> None:
    """Wrap the class's `async` methods that the SDK calls, so that they wait.

    The SDK calls the methods that classes in the package `base_room` define. Other
    `async` methods stay as they are.
    """
    bases = [base for base in bot.__mro__[1:] if base.__module__.startswith(base_room)]
    for name, method in list(vars(bot).items()):
        if _is_async(method) and any(name in vars(base) for base in bases):
            setattr(bot, name, _waiting(method))


def _is_async(method: object) -> bool:
    """Whether the method must be awaited.

    `inspect` is loaded only for callables that are not plain functions, or are
    decorated.
    """
    if isinstance(method, FunctionType) and not vars(method):
        return bool(method.__code__.co_flags & CO_COROUTINE)
    if not callable(method):
        return False
    from inspect import iscoroutinefunction

    return iscoroutinefunction(method)


def _waiting(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method as a plain function for the SDK, which waits for the result.

    If called by code in a running event loop, it returns the coroutine.
    """
    from asyncio import get_running_loop, run_coroutine_threadsafe  # only for a bot with coroutines, before matches

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
    """One loop for the process, so that a bot can keep using a client of its server."""
    from asyncio import Runner

    runner = Runner()
    atexit.register(runner.close)
    return runner


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop, in a thread, of bots that are asked at several tables at once."""
    from asyncio import new_event_loop

    loop = new_event_loop()
    Thread(target=loop.run_forever, name="loop", daemon=True).start()
    return loop
