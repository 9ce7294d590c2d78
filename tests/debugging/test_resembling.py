"""Distances of tensors, and the tensors of a model that are near one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.debugging.resembling import Tensors, distance
from irrun.debugging.spool import Spool
from irrun.graph import Outlet
from tests.cases import f32

INF = np.inf


@pytest.mark.parametrize(
    ("array", "other", "expected"),
    [
        (f32([1, 2, 4]), f32([1, 2, 3]), 0.25),
        (f32([[1], [2]]), f32([1, 2]), 0.0),
        (f32([1, 2]), f32([1, 2, 3]), INF),
        (f32([]), f32([]), 0.0),
        (f32([0, 0]), f32([0, 0]), 0.0),
        (f32([INF, 1]), f32([INF, 1]), 0.0),
        (f32([INF, 1]), f32([-INF, 1]), INF),
        (np.array(["a", "b"]), np.array(["a", "b"], object), 0.0),
        (np.array(["a", "b"]), np.array(["a", "c"]), INF),
        (np.array([1, 2]), np.array([1, 2]), 0.0),
        (np.array([1, 2]), np.array([1, 3]), INF),
    ],
)
def test_distance(array: Any, other: Any, expected: float) -> None:
    assert distance(array, other) == expected
    assert distance(other, array) == expected


def test_near_tensors() -> None:
    """Text is near the same text only, and a tensor is kept once."""
    with Spool() as spool:
        tensors = Tensors(spool)
        arrays = [np.array(["a", "b"]), np.array(["a", "c"]), f32([1, 2]), f32([1, 2.2])]
        for id, array in enumerate((*arrays, arrays[0])):
            tensors.put(Outlet(id % 4, 0), array)
        assert list(tensors) == [Outlet(id, 0) for id in range(4)]
        assert tensors.near(np.array(["a", "b"]), 0.5) == [(0.0, Outlet(0, 0))]
        assert tensors.near(f32([1, 2]), 0.01) == [(0.0, Outlet(2, 0))]
        assert [outlet.node for _, outlet in tensors.near(f32([1, 2]), 0.5)] == [2, 3]


def test_a_tensor_is_written_once() -> None:
    with Spool() as spool:
        spool.put("x", f32([1]))
        spool.put("x", f32([2]))
        assert spool.get("x").tolist() == [1]
