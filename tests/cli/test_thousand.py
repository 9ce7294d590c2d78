"""Many inputs in several ways, with workers killed on the way: nothing is lost, and all outputs are the same."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import thousand

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc of Linux")
COUNT = 240
"""``python -m tests.cli.thousand`` does the same with 1,000 inputs, and without killing, too."""
WAYS = (
    *(thousand.several_requests, thousand.a_process_killed),
    *(thousand.a_second_start, thousand.a_worker_of_dask_killed),
)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inputs, and the outputs of one process."""
    folder = tmp_path_factory.mktemp("thousand")
    assert thousand.alone(folder, COUNT) > 0
    return folder


@pytest.mark.parametrize(
    "way",
    [pytest.param(way, marks=[pytest.mark.rest] if way is not thousand.several_requests else []) for way in WAYS],
    ids=lambda way: way.__name__,
)
def test_nothing_is_lost(alone: Path, tmp_path: Path, way: Callable[[Path, int], float]) -> None:
    if "dask" in way.__name__ and importlib.util.find_spec("distributed") is None:
        pytest.skip("distributed is not installed, the extra distributed")
    (tmp_path / "in").symlink_to(alone / "in")
    assert way(tmp_path, COUNT) > 0
    thousand.equal(alone / "alone", tmp_path / "out", COUNT)
