from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from irrun.kernels.threads import set_threads, threads


@pytest.fixture
def team() -> Iterator[Callable[[int], None]]:
    """A function that sets the number of threads for this test."""
    before = threads()
    yield set_threads
    set_threads(before)
