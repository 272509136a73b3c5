"""What all tests share: the same examples on every run, and real processes one test at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
REAL_PROCESSES = ("e2e", "faults")

# The same examples everywhere, so that a failure is the change's doing. To look for new ones:
# pytest --hypothesis-profile=explore
settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("house")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under `-n --dist loadgroup`, those with real processes share a worker, room by room: few fight for the cores."""
    for item in items:
        if (room := item.path.relative_to(HERE).parts[0]) in REAL_PROCESSES:
            item.add_marker(pytest.mark.xdist_group(room))
