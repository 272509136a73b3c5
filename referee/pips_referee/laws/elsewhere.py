"""The law against luck from hashes: another process plays the same match.

`python -m pips_referee.laws.elsewhere` is that process; its strings hash differently.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from random import Random
from typing import Final

from pips_referee.installed import VARIABLE, told
from pips_referee.laws.case import BrokenLaw, Case, Probe, chance

MARK: Final = "digest of a match: "


def digest(case: Case) -> str:
    """The digest of all views, answers and events of a match, and of its outcome."""
    whole, rng = sha256(), Random(9)
    state, events = case.start(chance(9))
    for _ in range(case.longest):
        if state.to_ask is None:
            break
        whole.update(repr((events, state.view(state.to_ask))).encode())
        events = state.apply(state.sample_action(rng))
    whole.update(repr((events, state.outcome())).encode())
    return whole.hexdigest()


def another_process_plays_the_same(probe: Probe) -> None:
    """Nothing in a match takes its order from hashes, as sets of strings do."""
    said = [[case.game_name, case.label, case.seats, dict(case.option_values)] for case in probe.cases]
    command = [sys.executable, "-m", "pips_referee.laws.elsewhere", json.dumps(said)]
    paths = os.pathsep.join(filter(None, sys.path))
    for hash_seed in ("1", "2"):  # this process may have one of these seeds
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, VARIABLE: told(), "PYTHONPATH": paths}
        ended = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", check=False)
        digests = re.findall(rf"^{MARK}(\w+)$", ended.stdout, re.MULTILINE)
        if len(digests) < len(probe.cases):
            last = [f"it ended with {ended.returncode}", *ended.stderr.strip().splitlines()][-1]
            raise BrokenLaw(f"{probe.case.game_name}: another process cannot play it: {last}")
        for case, theirs in zip(probe.cases, digests, strict=True):
            probe.compared += 1
            if theirs != digest(case):
                raise BrokenLaw(
                    f"{case.id}, seed 9: another process plays another match from the same seed and answers: "
                    "does something go over a set, or ask hash()?"
                )


if __name__ == "__main__":
    for said in json.loads(sys.argv[1]):  # a game may print something first
        sys.stdout.write(f"\n{MARK}{digest(Case(*said))}\n")
