"""Replay the evening and a course, and print how each defect is shown to be gone.

`python -m tests.lab.evening gala final` plays these steps alone.
"""

from __future__ import annotations

import signal
import sys
from time import perf_counter

from tests.e2e.desk import Desk
from tests.lab.evening import class_nights, course, gala, hosted
from tests.lab.evening.room import DEFECTS, Findings, Room


def main() -> int:
    """All steps of the evening, one after another; 1 if anything is not gone."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # nothing that was started stays
    found, desk, begun = Findings(), Desk(), perf_counter()
    room = Room(desk)
    steps = {
        "begin": class_nights.begin,
        "check": class_nights.check,
        "first night": class_nights.first_night,
        "later": class_nights.later,
        "grades": class_nights.grades,
        "small ones": class_nights.small_ones,
        "gala": lambda room, _: gala.play(room),
        "final": gala.final,
        "on screen": gala.on_screen,
        "seats": gala.seats,
        "hosted": hosted.nights,
        "course": course.first_week,
    }
    try:
        for name, step in steps.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            before, since = {key: len(told) for key, told in found.wrong.items()}, perf_counter()
            with found.step(name):
                step(room, found)
            bad = [key for key in found.wrong if len(found.wrong[key]) > before.get(key, 0)]
            print(f"{name}: {perf_counter() - since:.0f} s{', wrong: ' + ', '.join(bad) if bad else ''}", flush=True)
    finally:
        desk.clear()
    for line in found.lines():
        print(line)
    for name in sorted(set(found.wrong) - set(DEFECTS)):
        print(f"The step {name} was cut off: {'; '.join(found.wrong[name])}")
    print(f"The evening took {perf_counter() - begun:.0f} s.")
    return not found.ok


if __name__ == "__main__":
    sys.exit(main())
