"""Children that are born and gone between two looks, with real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pips_referee.timing.clock import LOOK_S, CoreWait
from pips_referee.timing.pondering import Group

SECONDS = 0.6
BRIEF_S = 0.001
FORKS = f"""
import os, resource, signal, sys, time
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
if sys.argv[1] == "ignores": signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print(flush=True)
while True:
    if not (child := os.fork()):
        end = time.process_time() + {BRIEF_S}
        while time.process_time() < end: pass
        os.write(2, b"x")
        os._exit(0)
    try:
        while os.waitpid(child, os.WNOHANG)[0] == 0: os.sched_yield()
    except ChildProcessError: pass
"""
"""One after the other; each writes a byte when it has computed.

The first thread seems to wait for its core all the while.
"""


@pytest.mark.parametrize("how", ["waits", "ignores"])
def test_brief_children_are_charged_in_turn_and_counted_out_of_turn(how: str, tmp_path: Path) -> None:
    """Where nobody waits for their ends, the kernel adds their time to no parent."""
    done = tmp_path / "done"
    with done.open("wb") as file:
        bot = subprocess.Popen(
            [sys.executable, "-c", FORKS, how], stdout=subprocess.PIPE, stderr=file, start_new_session=True
        )
    with bot:
        try:
            assert bot.stdout is not None
            bot.stdout.readline()
            wait, group, burnt_us = CoreWait(bot.pid), Group(bot.pid), 0
            group.burnt_us(0.0, is_in_turn=False)
            began, ended = time.monotonic(), done.stat().st_size
            wait.mark(began)
            while (now := time.monotonic()) < began + SECONDS:
                time.sleep(LOOK_S)
                wait.sample(now)
                burnt_us += group.burnt_us(0.0, is_in_turn=False)
            passed_us, credited_us = 1e6 * (now - began), wait.credit_us(now)
            ran_us = 1e6 * BRIEF_S * (done.stat().st_size - ended)
        finally:
            os.killpg(bot.pid, 9)
    assert passed_us - min(passed_us - wait.ran_us, credited_us) >= 0.9 * ran_us > 0
    assert burnt_us >= 0.9 * ran_us
