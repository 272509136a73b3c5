"""Limits, banks, and the part of the passing time that was not the bot's own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips.v1 import referee_pb2
from pips_referee.timing import clock
from pips_referee.timing.clock import NO_LIMIT, CoreWait, Lateness, SeatClock, Task, TimeControl, kernel_keeps_ledger

SECOND = 1_000_000


class TestTimeControl:
    def test_zeros_are_no_clock(self) -> None:
        control = TimeControl.read(referee_pb2.Clock())
        assert control == TimeControl()
        assert not control.runs

    def test_milliseconds_become_microseconds(self) -> None:
        control = TimeControl.read(referee_pb2.Clock(answer_ms=100, bank_ms=2000, increment_ms=5))
        assert control == TimeControl(100_000, 2_000_000, 5_000)
        assert control.runs

    @pytest.mark.parametrize("message", [referee_pb2.Clock(answer_ms=1), referee_pb2.Clock(bank_ms=1)])
    def test_either_limit_makes_it_run(self, message: referee_pb2.Clock) -> None:
        assert TimeControl.read(message).runs


class TestSeatClock:
    @pytest.mark.parametrize(
        ("control", "longest_us"),
        [
            (TimeControl(), NO_LIMIT),
            (TimeControl(answer_us=SECOND // 50), 10 * SECOND),
            (TimeControl(answer_us=3 * SECOND), 30 * SECOND),
            (TimeControl(bank_us=60 * SECOND), 600 * SECOND),
            (TimeControl(answer_us=3 * SECOND, longest_us=4 * SECOND), 4 * SECOND),
            (TimeControl(longest_us=4 * SECOND), 4 * SECOND),
        ],
    )
    def test_the_most_that_may_pass(self, control: TimeControl, longest_us: int) -> None:
        assert SeatClock(control).longest_us == longest_us

    def test_without_a_limit_everything_is_in_time(self) -> None:
        seat = SeatClock(TimeControl())
        assert seat.left_ms == 0
        assert seat.charge(10**15)
        assert seat.limit_us == NO_LIMIT

    def test_every_answer_has_the_same_limit(self) -> None:
        seat = SeatClock(TimeControl(answer_us=SECOND))
        assert [seat.charge(SECOND), seat.charge(SECOND + 1), seat.charge(1)] == [True, False, True]
        assert seat.left_ms == 1000

    def test_a_bank_is_used_up_and_filled_up(self) -> None:
        seat = SeatClock(TimeControl(bank_us=3 * SECOND, increment_us=SECOND // 2))
        assert seat.charge(2 * SECOND)
        assert (seat.bank_us, seat.left_ms, seat.used_us) == (1_500_000, 1500, 2 * SECOND)
        assert not seat.charge(2 * SECOND)
        assert (seat.bank_us, seat.left_ms) == (500_000, 500)

    def test_the_lesser_limit_holds(self) -> None:
        seat = SeatClock(TimeControl(answer_us=SECOND, bank_us=SECOND + 500))
        assert seat.left_ms == 1000
        seat.charge(SECOND)
        assert seat.limit_us == 500

    def test_what_is_left_of_a_millisecond_is_told_as_one(self) -> None:
        assert SeatClock(TimeControl(bank_us=10)).left_ms == 1

    @given(st.lists(st.integers(0, SECOND)), st.integers(1, 10 * SECOND), st.integers(0, SECOND))
    def test_who_is_always_in_time_has_never_used_more_than_he_got(
        self, answers: list[int], bank_us: int, increment_us: int
    ) -> None:
        seat = SeatClock(TimeControl(bank_us=bank_us, increment_us=increment_us))
        used, got = 0, bank_us
        for answer_us in answers:
            in_time = seat.charge(answer_us)
            used += answer_us
            assert in_time == (used <= got)
            if not in_time:
                break
            got += increment_us
            assert seat.bank_us == got - used


class TestLateness:
    @pytest.fixture
    def waits(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """The referee's waits for its core by look; none when they are used up."""
        looks: list[int] = []
        monkeypatch.setattr(clock.OwnWaits, "look", lambda *_, **__: looks.pop(0) if looks else 0)
        return looks

    def test_a_referee_that_was_never_looked_at_is_not_late(self) -> None:
        assert Lateness(0.01).late_s(100.0) == 0.0

    @pytest.mark.usefixtures("waits")
    def test_one_whose_ticks_come_in_time_is_not_late(self) -> None:
        lateness = Lateness(0.01)
        for number in range(5):
            lateness.tick(100.0 + number * 0.01)
        assert lateness.late_s(100.05) == pytest.approx(0.0)

    @pytest.mark.usefixtures("waits")
    def test_one_that_was_at_work_on_something_else_is_late_by_that_before_its_next_tick_and_after_it(self) -> None:
        lateness = Lateness(0.01)
        lateness.tick(100.0)
        assert lateness.late_s(102.01) == pytest.approx(2.0)
        lateness.tick(102.01)
        assert lateness.late_s(102.015) == pytest.approx(2.0)
        lateness.tick(102.02)
        assert lateness.late_s(102.025) == pytest.approx(0.0)

    def test_what_its_threads_waited_for_the_core_since_the_last_tick_but_one_counts(self, waits: list[int]) -> None:
        lateness = Lateness(0.01)
        waits += [1000, 2000, 9000, 9500]
        for number in range(3):
            lateness.tick(100.0 + number * 0.01)
        assert lateness.late_s(100.025) == pytest.approx(0.0075)

    def test_but_no_longer_than_since_then(self, waits: list[int]) -> None:
        lateness = Lateness(0.01)
        waits += [0, 0, 0, 90_000]
        for number in range(3):
            lateness.tick(100.0 + number * 0.01)
        assert lateness.late_s(100.025) == pytest.approx(0.015)


class TestOwnWaits:
    def test_they_are_those_of_all_threads_and_grow(self) -> None:
        waits = clock.OwnWaits()
        before = waits.look(refresh=True)
        assert len(waits._files) == (len(list(Path("/proc/self/task").iterdir())) if kernel_keeps_ledger() else 0)
        assert waits.look() >= before
        waits.close()
        assert not waits._files

    def test_what_a_thread_waited_that_has_ended_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        waits = clock.OwnWaits()
        waits._files["1"], waits._seen_us["1"] = os.open(os.devnull, os.O_RDONLY), 700
        assert waits.look() == 700
        assert waits._gone_us == 700 and not waits._files

    def test_without_a_ledger_there_are_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(*_: object) -> int:
            raise FileNotFoundError

        monkeypatch.setattr(os, "open", missing)
        assert clock.OwnWaits().look(refresh=True) == 0


Looks = Callable[..., CoreWait]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """A `CoreWait` that sees these tasks, one look after the other."""

    def make(*seen: dict[str, Task]) -> CoreWait:
        rest = iter(seen)
        monkeypatch.setattr(clock, "_tasks", lambda pid: next(rest))
        return CoreWait(1)

    return make


class TestCoreWait:
    def test_the_kernels_ledger_is_believed(self, looks: Looks) -> None:
        wait = looks({"1": Task(100, 1000, True)}, {"1": Task(700, 51_000, True)})
        wait.mark(100.0)
        assert wait.credit_us(100.06) == 50_000

    def test_of_several_threads_the_one_that_waited_most_for_others_than_its_own_counts(self, looks: Looks) -> None:
        before = {"1": Task(0, 0, True), "2": Task(0, 0, True)}
        after = {"1": Task(10_000, 50_000, True), "2": Task(30_000, 20_000, True)}
        wait = looks(before, after)
        wait.mark(100.0)
        assert wait.credit_us(100.06) == 20_000

    @pytest.mark.parametrize("waited_us", [0, None])
    def test_who_lets_a_new_thread_do_the_work_pays_for_it(self, looks: Looks, waited_us: int | None) -> None:
        ledger = None if waited_us is None else 90_000
        wait = looks({"1": Task(0, waited_us, True)}, {"1": Task(0, ledger, True), "2": Task(90_000, ledger, True)})
        wait.mark(100.0)
        assert wait.credit_us(100.09) == pytest.approx(0, abs=1)

    def test_many_threads_that_only_fight_each_other_are_credited_nothing(self, looks: Looks) -> None:
        before = {str(number): Task(0, 0, True) for number in range(8)}
        after = {str(number): Task(10_000, 70_000, True) for number in range(8)}
        wait = looks(before, after)
        wait.mark(100.0)
        assert wait.credit_us(100.08) == 0

    def test_for_a_time_in_which_processes_came_and_went_nothing_is_credited(self, looks: Looks) -> None:
        """The last of them is there at the look; how many it followed nobody knows."""
        parent = Task(0, 0, True, 1, 0), Task(9_000, 40_000, True, 1, 9_000), Task(9_000, 90_000, True, 1, 9_000)
        child = Task(2_000, 0, True, 0, 2_000)
        wait = looks({"1": parent[0]}, {"1": parent[1], "2": child}, {"1": parent[2], "2": child})
        wait.mark(100.0)
        wait.sample(100.06)
        assert wait.credit_us(100.11) == 50_000, "only since that look"

    def test_what_has_ended_is_charged_as_the_kernel_tells_it(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, 0, True, 1, 50_000)}, {"1": Task(3_000, 900_000, True, 1, 950_000)})
        wait.mark(100.0)
        assert wait.credit_us(101.0) == 997_000
        assert wait.ran_us == 900_000 - 4 * clock.TICK_US, "two ticks for each sum and process"

    def test_threads_that_came_or_went_have_waited_for_nothing(self, looks: Looks) -> None:
        wait = looks(
            {"1": Task(0, 0, True), "2": Task(0, 90_000, True)}, {"1": Task(0, 5_000, True), "3": Task(0, 9**9, True)}
        )
        wait.mark(100.0)
        assert wait.credit_us(100.01) == 5_000

    def test_who_never_slept_stood_still_for_as_long_as_it_neither_ran_nor_waited(self, looks: Looks) -> None:
        """The case of a machine that another machine kept from its cores."""
        wait = looks({"1": Task(0, 0, True, 7)}, {"1": Task(300_000, 200_000, True, 7)})
        wait.mark(100.0)
        assert wait.credit_us(101.2) == 900_000

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (Task(0, 0, True, 7), Task(300_000, 200_000, True, 8)),
            (Task(0, 0, False, 7), Task(300_000, 200_000, True, 7)),
        ],
        ids=["later", "then"],
    )
    def test_who_was_asleep_did_not(self, looks: Looks, before: Task, after: Task) -> None:
        wait = looks({"1": before}, {"1": after})
        wait.mark(100.0)
        assert wait.credit_us(101.2) == 200_000

    def test_a_wait_that_the_ledger_tells_of_later_is_credited_once(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, 0, True, 7)}, {"1": Task(10_000, 0, True, 7)}, {"1": Task(20_000, 60_000, True, 8)})
        wait.mark(100.0)
        wait.sample(100.06)
        assert wait.credit_us(100.12) == 50_000 + 10_000

    def test_while_a_machine_stood_still_so_did_all_threads(self, looks: Looks) -> None:
        """What another thread of the bot ran is the bot's own time."""
        before = {"1": Task(0, 0, True, 7), "2": Task(0, 0, False)}
        wait = looks(before, {"1": Task(300_000, 0, True, 7), "2": Task(500_000, 0, False)})
        wait.mark(100.0)
        assert wait.credit_us(101.0) == 200_000

    def test_without_a_ledger_a_task_that_could_run_and_did_not_has_waited(self, looks: Looks) -> None:
        can, cannot = Task(0, None, True), Task(0, None, False)
        wait = looks({"1": can}, {"1": cannot}, {"1": can}, {"1": Task(4_000, None, True)})
        wait.mark(100.0)
        wait.sample(100.01)
        wait.sample(100.03)
        assert wait.credit_us(100.04) == pytest.approx(16_000)

    def test_without_a_ledger_what_it_ran_is_not_credited(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, None, True)}, {"1": Task(20_000, None, True)})
        wait.mark(100.0)
        assert wait.credit_us(100.01) == 0

    def test_with_a_ledger_it_is_read_now_and_then_only(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, 0, False)}, {"1": Task(0, 9_000, False)}, {"1": Task(0, 9_500, False)})
        wait.mark(100.0)
        for _ in range(100):
            wait.sample(100.01)
        for _ in range(100):
            wait.sample(100.06)
        assert wait.credit_us(100.07) == 9_500

    def test_threads_that_wait_for_one_another_have_all_their_waits(self, looks: Looks) -> None:
        """One thread has what the other needs, such as an interpreter's lock."""
        wait = looks(
            {"1": Task(0, 0, False), "2": Task(0, 0, False)},
            {"1": Task(0, 40_000, False), "2": Task(0, 3_000, False)},
            {"1": Task(0, 41_000, False), "2": Task(0, 53_000, False)},
        )
        wait.mark(100.0)
        wait.sample(100.06)
        assert wait.credit_us(100.12) == 90_000

    def test_a_process_that_has_ended_has_not_waited(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, 0, True)}, {})
        wait.mark(100.0)
        assert wait.credit_us(100.01) == 0

    def test_every_mark_begins_anew(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, 0, True)}, {"1": Task(0, 9_000, True)}, {"1": Task(0, 10_000, True)})
        wait.mark(100.0)
        wait.mark(101.0)
        assert wait.credit_us(101.01) == 1_000

    def test_a_mark_at_the_last_look_looks_no_more(self, looks: Looks) -> None:
        wait = looks({"1": Task(0, 0, True)}, {"1": Task(0, 9_000, True)}, {"1": Task(0, 10_000, True)})
        wait.mark(100.0)
        assert wait.credit_us(100.01) == 9_000
        assert not wait.mark_again(100.02)
        assert wait.mark_again(100.01)
        assert wait.credit_us(100.02) == 1_000


class TestKernel:
    def test_a_process_sees_its_own_threads_and_those_of_its_children(self) -> None:
        command = [sys.executable, "-c", "print('here', flush=True); input()"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"here\n"
            tasks = clock._tasks(os.getpid())
            assert {str(os.getpid()), str(child.pid)} <= set(tasks)
            assert all(task.ran_us >= 0 for task in tasks.values())
            assert tasks[str(child.pid)].ran_us > 0
            child.communicate(b"\n")

    @pytest.mark.skipif(not kernel_keeps_ledger(), reason="this kernel keeps no ledger")
    @pytest.mark.parametrize(("does", "sleeps"), [("pass", False), ("time.sleep(0.01)", True)])
    def test_whether_the_first_thread_slept_is_seen(self, does: str, sleeps: bool) -> None:
        command = [sys.executable, "-c", f"import time; print('here', flush=True)\nwhile True: {does}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            try:
                assert child.stdout is not None
                assert child.stdout.readline() == b"here\n"
                time.sleep(0.05)
                before = clock._tasks(child.pid)[str(child.pid)]
                time.sleep(0.3)
                after = clock._tasks(child.pid)[str(child.pid)]
            finally:
                child.kill()
        assert before.sleeps is not None and after.sleeps is not None
        assert (after.sleeps > before.sleeps) is sleeps
        assert sleeps or before.can_run

    def test_a_process_that_is_gone_has_none(self) -> None:
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        assert clock._tasks(gone.pid) == {}

    def test_whether_waits_are_known_is_what_the_tasks_say(self) -> None:
        own = clock._tasks(os.getpid()).values()
        assert kernel_keeps_ledger() == any(task.waited_us is not None for task in own)

    @pytest.mark.parametrize(
        ("schedstat", "is_first", "task"),
        [
            ("7000000 3000 12\n", False, Task(7000, 3, False)),
            ("7000000 3000 12\n", True, Task(7000, 3, True, 42, 9 * clock.TICK_US)),
            (None, False, Task(5 * clock.TICK_US, None, False)),
            (None, True, Task(5 * clock.TICK_US, None, False, whole_us=9 * clock.TICK_US)),
        ],
    )
    def test_a_task_is_read_with_or_without_its_ledger(
        self, schedstat: str | None, is_first: bool, task: Task, tmp_path: Path
    ) -> None:
        fields = ["0"] * 11 + ["2", "3", "4", "0"] + ["0"] * 20
        whole, tmp_path = tmp_path / "stat", tmp_path / "task" / "42"
        tmp_path.mkdir(parents=True)
        for stat in (whole, tmp_path / "stat"):
            stat.write_text(f"42 (a name) with ) in it) S {' '.join(fields[1:])}")
        (tmp_path / "status").write_text(
            "Name:\tvoluntary_ctxt_switches:\nState:\tR (running)\n"
            "voluntary_ctxt_switches:\t42\nnonvoluntary_ctxt_switches:\t9\n"
        )
        if schedstat is not None:
            (tmp_path / "schedstat").write_text(schedstat)
        assert clock._task(str(tmp_path), is_first=is_first) == task
