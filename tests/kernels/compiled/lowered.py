"""A single operation, lowered and run by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.ops import Op
from irrun.runtime.instance import Instance
from irrun.runtime.layout import Layout
from irrun.runtime.lowering import LOWERINGS
from irrun.runtime.lowering.builder import Builder, Unsupported
from irrun.runtime.program import assembled
from irrun.runtime.state import State
from irrun.runtime.view import View
from irrun.tensor import Array


def run(op: Op, *arrays: Array, constants: int = 0) -> Array | None:
    """The output of the compiled kernels of an operation, or all of them; None where it has none for these inputs.

    The last ``constants`` inputs are constants. An input keeps the memory order of its axes.
    """
    builder = Builder()
    given = arrays[: len(arrays) - constants]
    inputs = [placed(builder, array) for array in given]
    try:
        out = LOWERINGS[type(op)].function(op, builder, *inputs, *arrays[len(arrays) - constants :])
    except Unsupported:
        return None
    if out is None:
        return None
    if isinstance(out, tuple):
        return np.array(results(builder, inputs, given, out))
    return results(builder, inputs, given, [out])[0]


def placed(builder: Builder, array: Array) -> View:
    """An array of a program with the memory order of another one."""
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    inner = builder.empty([array.shape[axis] for axis in order], array.dtype)
    return inner.transpose(np.argsort(order).tolist())


def results(builder: Builder, inputs: Sequence[View], arrays: Sequence[Array], outs: Sequence[View]) -> list[Array]:
    """The arrays that the calls of a builder compute."""
    found = Instance(Layout(assembled(builder, inputs, outs)), 1).run(arrays, 1, State())
    assert found is not None
    return list(found)
