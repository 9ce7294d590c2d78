from __future__ import annotations

from collections.abc import Iterator

import pytest

from irrun.kernels.threads import set_threads, threads


@pytest.fixture(params=[1, 2, 3])
def team(request: pytest.FixtureRequest) -> Iterator[int]:
    """Set the number of threads, from one to possibly more than there are cores."""
    before = threads()
    set_threads(request.param)
    yield request.param
    set_threads(before)
