"""Advice about a bot that did not start, for a night and for `pips-bot check`."""

from __future__ import annotations

from pips_tourney.arena.starting import StartFailure


def what_to_do(failure: StartFailure) -> str:
    """Return one sentence of advice on a process that sent no hello."""
    if "no hello" in failure.how:
        return (
            "Does it loop, compute for long or wait for input before it calls `run`? "
            "A bot connects first and thinks when it is asked."
        )
    if "could not be started" in failure.how:
        return "Fix the command, or install what it needs."
    if failure.how.startswith("it plays "):
        return "Name the games it plays with `games` in its entry or its bot.toml, or fix its class."
    if failure.how == "exit status 0":
        return "A bot goes on until the referee is done with it: does its program end with `run(MyBot)`?"
    if any(f"No module named '{name}" in failure.last_output for name in ("grpc'", "google", "msgspec'")):
        return "Its interpreter lacks packages: PYTHON -m pip install grpcio msgspec protobuf, or `install = true`."
    if failure.last_output.strip():
        return "Fix what it says there; the last line tells what it is."
    return "Start it by hand to see more."
