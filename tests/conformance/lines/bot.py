"""The conformance bot in JSON lines, without the SDK.

docs/protocol.md says how it answers.
"""

from __future__ import annotations

import json
import sys
from threading import Timer
from time import sleep
from typing import Any

FAILS, IS_LATE, IS_SLOW, SLOW_S = 7, 8, 9, 0.05
tables: dict[int, dict[str, Any]] = {}


def one(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, **fields}


def value(card: str) -> int:
    return ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"].index(card[:-1]) + 1


def choose(table: dict[str, Any], view: dict[str, Any]) -> dict[str, Any]:
    kind, even = view["kind"], table["heard"] % 2 == 0
    if kind in {"give", "reveal"}:
        return one(kind, cards=view["playable"][:3])
    if kind in {"lead", "answer"} and table["game"] == "serpent":
        tiebreaks = table["options"]["max_tiebreaks"]
        if tiebreaks == FAILS:
            raise ValueError("I was told to fail")
        if tiebreaks == IS_SLOW:
            sleep(SLOW_S)
        return one(kind, card=view["playable"][0])
    if kind == "draw":
        return one("draw_on", more=even)
    if kind == "lay":
        return one("lay", stacks=[[card] for card in view["hand"] if value(card) == sum(view["dice"])])
    if kind == "call":
        return one("call", suits=view["callable"] if even else [])
    if kind == "play":
        card = view["playable"][0]
        face_up = card in view["face_up"][view["seat"]]
        return one("play", card=card, face_up=face_up)
    return dominion(view)


def dominion(view: dict[str, Any]) -> dict[str, Any]:
    match view["kind"]:
        case "resign":
            return one("pass")
        case "declare":
            return one("declare")
        case "reinforce":
            return one("pass") if view["optional_army"] else one("reinforce", cell=view["cells"][0])
        case "remove":
            return one("remove", cell=view["cells"][0])
        case "conquer":
            return one("conquer", count=view["conquest"]["most"])
        case "attack":
            return view["attacks"][0]  # type: ignore[no-any-return]
        case "advance":
            return view["advances"][0]  # type: ignore[no-any-return]
        case _:
            return view["deployments"][0]  # type: ignore[no-any-return]


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


say(type="hello", name="conformance", games=["serpent", "wichita", "pippip", "dominion"])
for line in sys.stdin:
    message = json.loads(line)
    key, what = message["table"], message["type"]
    if what == "start":
        tables[key] = {**message, "heard": len(message["told"])}
    elif what == "question":
        tables[key]["heard"] += len(message["events"])
        answer: dict[str, Any]
        try:
            answer = {"action": choose(tables[key], message["view"])}
        except ValueError as error:
            answer = {"failed": str(error)}
        answer |= {"table": key, "number": message["number"]}
        if tables[key]["options"].get("max_tiebreaks") == IS_LATE and message["view"]["kind"] in {"lead", "answer"}:
            Timer(SLOW_S, say, kwargs=answer).start()
        else:
            say(**answer)
    else:
        del tables[key]
