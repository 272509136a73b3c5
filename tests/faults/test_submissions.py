"""The zoo as submissions: bots with a bot.toml of their own in real nights, beside
those that cannot be read and honest ones, who notice nothing.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from pips_tourney.sandbox.tiers import Tier
from tests.e2e.desk import Desk
from tests.faults.night import HONEST, ONE_AGAINST_ALL, SAMPLES, ZOO, Played, play, write
from tests.faults.test_zoo import LONG_MS, SUBMITTED, charged, undisturbed
from tests.needs import needs
from tests.pips_tourney.league.test_strangers import ODD

BOASTERS: Final = ("names_places", "reads_the_night", "talks_to_itself", "writes_to_the_machine")
"""The bots that get what they want as processes of the night's own user, and tell."""
UNHINDERED: Final = (*BOASTERS, "breeds_children", "leaves_its_core", "sets_its_path")
MOST_FAULTS: Final = 2


def hand_in(desk: Desk, *names: str, tier: str) -> Path:
    """A league whose submissions are these of the zoo and the odd ones; the file that a
    foreign bwrap would make.
    """
    written = desk.folder / "bwrap-was-here"
    env = {"LOOK_HERE": str(desk.folder), "MARK": f"mark-{desk.folder.name}"}
    for name in names:
        folder = desk.folder / "in" / name
        folder.mkdir(parents=True)
        shutil.copy(ZOO / f"{name}.py", folder / "bot.py")
        _write_toml(folder, ["python", "bot.py"], env)
    if "sets_its_path" in names:
        folder = desk.folder / "in" / "sets_its_path"
        (folder / "bwrap").write_text(f"#!/bin/sh\ntouch {written}\n", encoding="utf-8")
        (folder / "bwrap").chmod(0o755)
        _write_toml(folder, ["python", "bot.py"], {"PATH": f".:{folder}:/usr/bin:/bin"})
    if "names_places" in names:
        secret, house = str(desk.folder / "secret"), str(desk.folder / "house")
        (desk.folder / "house").mkdir()
        more = {"JAVA_HOME": house, "NODE_PATH": house, "VIRTUAL_ENV": house, "PYTHONPATH": house}
        _write_toml(desk.folder / "in" / "names_places", ["python", "bot.py", secret, "../../night.toml"], more)
    samples = (f'{{ name = "{name}", sample = "{sample}" }}' for name, sample in zip(HONEST, SAMPLES, strict=True))
    strangers = json.dumps("in/*")
    trusted = ", ".join(f'{{ path = "in/{name}", trusted = true }}' for name in names)
    lines = [
        'games = [{ name = "serpent", options = { max_tiebreaks = 0 } }]',
        'deals = { suite = "quick", count = 1 }',
        f"clock = {{ answer_ms = {LONG_MS} }}",
        ONE_AGAINST_ALL,
        f"bots = [{strangers if Tier(tier).is_fence else trusted}, {', '.join(samples)}]",
        f'sandbox = {{ tier = "{tier}", memory_mb = 256 }}',
        f"max_faults = {MOST_FAULTS}",
        "hand_in = { files = 50 }",
    ]
    (desk.folder / "night.toml").write_text("\n".join(lines), encoding="utf-8")
    return written


def _write_toml(folder: Path, command: list[str], env: Mapping[str, str]) -> None:
    variables = ", ".join(f"{name} = {json.dumps(value)}" for name, value in env.items())
    text = f"command = {json.dumps(command)}\nenv = {{ {variables} }}\n"
    (folder / "bot.toml").write_text(text, encoding="utf-8")


def told(night: Played, bot: str) -> list[str]:
    """What is said of a bot's faults."""
    seats = ((record, list(record.header.seats).index(bot)) for record in night.of(bot))
    return [fault.detail for record, seat in seats for fault in record.outcome.faults if fault.seat == seat]


def test_in_a_fence_submissions_gain_nothing_and_hold_nobody_up(desk: Desk, fence: tuple[Tier, str]) -> None:
    """What cannot be read is left out with a sentence."""
    names = sorted(SUBMITTED - {"hides_memory"})
    tier, refusal = fence
    foreign = hand_in(desk, *names, tier=tier)
    for number, (make, _) in enumerate(ODD.values()):
        folder = desk.folder / "in" / f"odd{number:02}"
        folder.mkdir()
        make(folder)
    night = play(desk, status=2 if refusal else 0)
    if refusal:  # then no match was played
        assert refusal in night.err and not night.records
        return
    assert not foreign.exists(), "a program of a submission was run outside of the sandbox"
    strangers = {*names, *(f"odd{number:02}" for number in range(len(ODD)))}
    assert night.without(strangers) == undisturbed(LONG_MS).of_hero()
    for number, (_, what) in enumerate(ODD.values()):
        said = [line for line in night.err.splitlines() if f"odd{number:02} is left out" in line]
        is_read = tier is Tier.LANDLOCK and what.startswith("shut ")  # root reads it where bubblewrap does not hold it
        assert said and (is_read or what in said[0]), (number, what, night.err)
        assert not night.of(f"odd{number:02}")
    assert {bad: told(night, bad) for bad in UNHINDERED} == {bad: [] for bad in UNHINDERED}
    assert_threads_were_limited(night)


def assert_threads_were_limited(night: Played) -> None:
    """By the kernel, which refuses more, or by the keeper, which ends the bot."""
    details = told(night, "starts_threads")
    assert all("threads and may have" in detail for detail in details), details


def assert_memory_was_limited(night: Played) -> None:
    details = told(night, "hides_memory")
    limited = re.compile(r"ended, for it took \d+ MB of memory and may take 256")
    assert details and all(limited.fullmatch(detail) for detail in details), details


@pytest.mark.long
def test_limits_hold_submissions_that_take_too_much(desk: Desk) -> None:
    names = ("breeds_children", "hides_memory", "leaves_its_core", "starts_threads")
    hand_in(desk, *names, tier="limits")
    night = play(desk)
    assert night.without(names) == undisturbed(LONG_MS).of_hero()
    assert told(night, "breeds_children") == told(night, "leaves_its_core") == []
    assert_threads_were_limited(night)
    assert_memory_was_limited(night)


@needs("root")  # only its bots may write to the machine
def test_without_a_sandbox_they_gain_what_they_boast_of(desk: Desk) -> None:
    """So those who gain nothing under bubblewrap have tried."""
    hand_in(desk, *BOASTERS, tier="none")
    night = play(desk)
    assert night.without(BOASTERS) == undisturbed(LONG_MS).of_hero()
    for bad in BOASTERS:
        assert charged(night, bad) == {"crash"}
        assert any("gained: " in detail for detail in told(night, bad)), bad


def test_who_starts_no_more_is_left_out(desk: Desk) -> None:
    """It says hello in its first process alone. No limit of faults can come before."""
    write(desk, ["starts_once"], 'tables = 1\nsandbox = { tier = "none" }', limit_ms=LONG_MS)
    night = play(desk)
    assert night.without(["starts_once"]) == undisturbed(LONG_MS).without(())
    assert "starts_once is left out" in night.err and "3 starts in a row" in night.err


def test_who_dies_at_once_is_soon_withdrawn(desk: Desk) -> None:
    more = f'max_faults = {MOST_FAULTS}\ntables = 1\nsandbox = {{ tier = "none" }}'
    write(desk, ["dies_after_hello"], more, limit_ms=LONG_MS)
    night = play(desk)
    assert night.without(["dies_after_hello"]) == undisturbed(LONG_MS).without(())
    assert charged(night, "dies_after_hello") == {"crash"}
    shown = desk.tell("standings", "night.db")
    assert f"withdrawn after {MOST_FAULTS} faults, the last one (crash)" in " ".join(shown.split())
