from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, Dim, op
from irrun.ops._declared.arithmetic.elementwise import hold_dims
from irrun.ops._declared.comparison.base import Comparison
from irrun.ops.departures import NUMPY, refuses_pdpd
from irrun.tensor import Undecided


def equal(a: Array, b: Array) -> Any:
    return np.frompyfunc(_same, 2, 1)(a, b) if hold_dims(a, b) else np.equal(a, b)


def _same(a: Any, b: Any) -> bool:
    if a == b:
        return True
    if (isinstance(a, Dim) or isinstance(b, Dim)) and Dim.of(a).compatible(Dim.of(b)):
        raise Undecided(f"{a} == {b}")
    return False


@op("Equal", opset=1)
class Equal(Comparison):
    """Element-wise comparison a == b."""

    departures = {"pdpd": refuses_pdpd("Equal")}
    workarounds = {"pdpd": NUMPY}

    function = equal
