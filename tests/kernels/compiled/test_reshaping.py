"""Arrays in other shapes, of every width and in several layouts, against those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.shape.reshape import Reshape
from irrun.ops._declared.shape.squeeze import SqueezeV1, SqueezeV15
from irrun.ops._declared.shape.unsqueeze import Unsqueeze
from tests.kernels.compiled.test_movement import ORDERS, WIDTHS, check, drawn
from tests.kernels.merged import merged

RESHAPED: dict[str, tuple[Op, tuple[int, ...], list[int]]] = {
    "unsqueeze": (Unsqueeze(), (3, 4), [0, 3]),
    "unsqueeze from the end": (Unsqueeze(), (3, 4), [-1, -3]),
    "squeeze": (SqueezeV1(), (1, 3, 1, 4, 1), [0, -1]),
    "squeeze of all axes": (SqueezeV1(), (1, 3, 1, 4, 1), []),
    "squeeze of one axis": (SqueezeV15(), (1, 3, 1, 4), [2]),
    "reshape": (Reshape(special_zero=True), (2, 6, 5), [0, 3, -1]),
    "reshape with zeros": (Reshape(special_zero=False), (2, 6, 5), [-1, 15]),
}


@merged()
@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", RESHAPED)
def test_other_shapes(name: str, order: str, dtype: str) -> None:
    op, shape, numbers = RESHAPED[name]
    given = [np.array(numbers)] if numbers else []
    check(op, drawn(shape, dtype, order), *given, constants=len(given))
