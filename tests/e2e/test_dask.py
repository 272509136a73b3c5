"""A night on a real cluster: one worker is killed, one is late, the standings agree."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.e2e.desk import Desk, finish, wait_for_results, wait_until

THREE = ("ada=random", "bo=greedy", "cy=slow_bot.py")


class Cluster:
    """A scheduler and its workers on loopback, with certificates of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        authority = trustme.CA()
        own = authority.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(folder / "ca.pem")
        own.cert_chain_pems[0].write_to_path(folder / "cert.pem")
        own.private_key_pem.write_to_path(folder / "key.pem")
        self._told = folder / "scheduler.json"
        self._begin("scheduler", "--port", "0", "--protocol", "tls", "--scheduler-file", "scheduler.json")
        wait_until(lambda: self._told.is_file() and bool(self._told.read_text()), "there is no scheduler")
        self.address = str(json.loads(self._told.read_text())["address"])

    @property
    def entries(self) -> str:
        """Return the cluster's entries in a league file."""
        files = ", ".join(f'{name} = "{self.folder}/{name}.pem"' for name in ("ca", "cert", "key"))
        return f'engine = "dask"\nscheduler = "{self.address}"\ntls = {{ {files} }}'

    def worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker."""
        return self._begin("worker", self.address, "--nthreads", "1", "--no-nanny", "--local-directory", ".")

    def _begin(self, *words: str) -> subprocess.Popen[bytes]:
        tls = ["--tls-ca-file", "ca.pem", "--tls-cert", "cert.pem", "--tls-key", "key.pem"]
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard", *tls],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def clear(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.clear()


def test_a_night_on_a_cluster_is_that_of_one_machine(desk: Desk, cluster: Cluster) -> None:
    """With three workers: one is killed in the middle, and another comes late."""
    desk.league(*THREE, deals=6)
    alone, _ = finish(desk.play())
    workers = [cluster.worker() for _ in range(3)]
    desk.league(*THREE, deals=6, more=cluster.entries)
    runner = desk.play("--new")
    wait_for_results(desk, 4)
    workers[0].kill()
    cluster.worker()
    together, _ = finish(runner)
    assert together == alone
    verified = desk.tell("verify", "night.db")
    assert verified.startswith("36 results verified")


def test_a_scheduler_that_is_not_there_is_named(desk: Desk) -> None:
    desk.league("ada=random", "bo=greedy", more='engine = "dask"\nscheduler = "tcp://127.0.0.1:9"')
    _, err = finish(desk.play(), 2)
    assert "there is no scheduler at tcp://127.0.0.1:9" in err
