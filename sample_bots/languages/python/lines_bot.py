"""Serpent in the line protocol, without the SDK: gives low cards, plays high ones."""

import json
import sys
from typing import Any

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def answer(view: dict[str, Any]) -> dict[str, Any]:
    cards = sorted(view["playable"], key=lambda card: RANKS.index(card[:-1]))
    if view["kind"] in ("lead", "answer"):
        return {"kind": view["kind"], "card": cards[-1]}
    return {"kind": view["kind"], "cards": cards[:3]}


print(json.dumps({"type": "hello", "name": "python", "games": ["serpent"], "events": False}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "question":
        reply = {"table": message["table"], "number": message["number"], "action": answer(message["view"])}
        print(json.dumps(reply), flush=True)
