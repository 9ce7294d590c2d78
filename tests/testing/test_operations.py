"""The helper for tests of one operation: what it accepts, and what it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun import IRError, OpExtension
from irrun.ops import Array, Fact, Shape
from irrun.testing import check_operation
from tests.openvino.own_classes import Halved, Total
from tests.ops.own_operations import Ends, SoftShrink

X = np.array([[-2, 0.2, 3]], np.float32)
Y = np.array([[-1, 0, 2]], np.float32)


def test_accepted() -> None:
    check_operation(SoftShrink, [X], [Y], {"lambd": 1})
    check_operation(SoftShrink, [X.astype(np.float64)], [Y.astype(np.float64)], {"lambd": 1.0})
    check_operation(Ends, [np.int64([[1, 2, 3]])], [np.int64([1]), np.int64([3])])
    check_operation(Halved, [X], [X / 2])
    check_operation(OpExtension(Total), [X], [X + 12], {"axes": [5, 7], "exact": True})


class _Stale(SoftShrink):  # type: ignore[misc,valid-type]
    """Keep the sizes that it saw first."""

    opset = "extension"

    def infer(self, data: Fact) -> Shape:
        return data.shape if data.shape.is_static else Shape([7])


class _Writes(SoftShrink):  # type: ignore[misc,valid-type]
    """Write into its input."""

    opset = "extension"

    def run(self, data: Array) -> Array:
        data[:] = 0
        return data


@pytest.mark.parametrize(
    ("operation", "outputs", "attributes", "message"),
    [
        (SoftShrink, [Y + 1], {"lambd": 1}, r"output 0 as written is\n.*\nexpected"),
        (SoftShrink, [Y[:, :1]], {"lambd": 1}, r"the linter reports: output port 1 is declared"),
        (SoftShrink, [Y], {"lambda": 1}, "SoftShrink has no attribute lambda"),
        (SoftShrink, [Y], {"lambd": -1}, "the linter reports: lambd is -1.0, expected >= 0"),
        (_Stale, [Y], {"lambd": 1}, r"infer with open sizes states f32\[7\] for output 0, expected f32\[1,3\]"),
    ],
)
def test_found(operation: type, outputs: list[Any], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_operation(operation, [X], outputs, attributes)


def test_a_fault_of_the_operation() -> None:
    with pytest.raises(IRError, match=r"SoftShrink\.run fails at .*: ValueError: assignment destination is read-only"):
        check_operation(_Writes, [X], [Y])
