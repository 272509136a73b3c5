"""The version line, which programs send to hosts and places to compare."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.metadata import version
from typing import Final

from pips_referee.errors import GameProblem
from pips_referee.game import REGISTRY, get_game

PACKAGE: Final = "pips-tourney"
KEY: Final = "pips-versions"
"""The header, or call metadata, with the version line."""
_LINE: Final = re.compile(r"(?P<version>[\w.+!-]{1,40})(?P<rules>(?: \w{1,40}=\d{1,6}){0,99})", re.ASCII)


def versions_line() -> str:
    """Our version, then those of the games' rules: `0.9.0 serpent=1 wichita=2`."""
    rules = []
    for name in REGISTRY:
        with suppress(GameProblem):  # from another wheel
            rules.append(f"{name}={get_game(name).rules_version}")
    return " ".join([version(PACKAGE), *rules])


def difference(line: str, who: str) -> str:
    """A warning for a program with that version line about `who`; "" if none is needed.

    Anybody may send a line: a malformed one brings no warning.
    """
    theirs, here = _LINE.fullmatch(line), _LINE.fullmatch(versions_line())
    if theirs is None or here is None:
        return ""
    own, rules = _rules(here), _rules(theirs)
    others = [
        f"{name} (here {own[name]}, yours {rules[name]})" for name in own if rules.get(name, own[name]) != own[name]
    ]
    if not others and theirs["version"] == here["version"]:
        return ""
    matters = f"It matters: the rules are other ones in {', '.join(others)}." if others else "All rules are the same."
    return f"{who} runs Pips {here['version']}, and you have {theirs['version']}. {matters}"


def _rules(line: re.Match[str]) -> dict[str, str]:
    return dict(each.split("=") for each in line["rules"].split())
