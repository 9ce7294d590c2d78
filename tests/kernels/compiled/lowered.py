"""A single operation, lowered and run by itself."""

from __future__ import annotations

import ctypes

import numpy as np

from irrun.ops import Op
from irrun.runtime.lowering import LOWERINGS
from irrun.runtime.lowering.builder import Builder, Call
from irrun.tensor import Array

_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


def run(op: Op, *arrays: Array | None, constants: int = 0) -> Array | None:
    """The output of the compiled kernels of an operation; None where it has none for these inputs.

    The last ``constants`` inputs are constants. An input keeps the memory order of its axes.
    """
    builder = Builder()
    inputs = [None if array is None else placed(builder, array) for array in arrays[: len(arrays) - constants]]
    out = LOWERINGS[type(op)](op, builder, *inputs, *arrays[len(arrays) - constants :])
    for item in builder.items:
        assert isinstance(item, Call)
        execute(item)
    return None if out is None else np.array(out)


def placed(builder: Builder, array: Array) -> Array:
    """A copy of an array in the memory of a program."""
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    inner = builder.empty([array.shape[axis] for axis in order], array.dtype)
    inner[...] = array.transpose(order)
    return inner.transpose(np.argsort(order))


def execute(call: Call) -> None:
    """All tasks of a call."""
    values = list(call.arguments)
    tables = {name: np.array(table, np.int64) for name, table in call.tables.items()}
    for name, table in tables.items():
        values[call.arguments._fields.index(name)] = table.ctypes.data
    record = np.array([tuple(values)], call.kernel.record)
    workspace = np.empty(call.workspace + 256, np.uint8)
    kernel = _KERNEL(call.kernel.address)
    for task in range(call.tasks):
        kernel(record.ctypes.data, task, workspace.ctypes.data + -workspace.ctypes.data % 128)
