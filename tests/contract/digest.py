"""One digest of a match of every case: a program, so that processes can be compared."""

from __future__ import annotations

import random
import sys
from hashlib import sha256
from random import Random

from tests.contract.cases import CASES, chance, dump


def digest() -> str:
    """Events, views and final states of a match of every case."""
    whole = sha256()
    for case in CASES:
        state, log = case.start(chance(9))
        rng = Random(9)
        while state.to_ask is not None:
            whole.update(repr(state.view(state.to_ask)).encode())
            log += state.apply(state.sample_action(rng))
        whole.update(repr((log, dump(state), state.outcome())).encode())
    return whole.hexdigest()


if __name__ == "__main__":
    random.seed(sys.argv[1])
    print(digest())
