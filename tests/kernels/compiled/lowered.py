"""A single operation, lowered and run by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irrun.ops import Op
from irrun.runtime.instance import Instance
from irrun.runtime.layout import Layout
from irrun.runtime.lowering import LOWERINGS
from irrun.runtime.lowering.builder import Builder, Unsupported
from irrun.runtime.program import Size, assembled
from irrun.runtime.state import State
from irrun.runtime.view import View
from irrun.tensor import Array


def run(op: Op, *arrays: Array | None, constants: int = 0) -> Array | None:
    """The output of the compiled kernels of an operation, or all of them; None where it has none for these inputs.

    The last ``constants`` inputs are constants. An input keeps the memory order of its axes.
    """
    builder = Builder()
    count = len(arrays) - constants
    inputs = [None if array is None else placed(builder, array) for array in arrays[:count]]
    try:
        out = LOWERINGS[type(op)].function(op, builder, *inputs, *arrays[count:])
    except Unsupported:
        return None
    if out is None:
        return None
    given = [array for array in arrays[:count] if array is not None]
    outs = out if isinstance(out, tuple) else (out,)
    found = results(builder, [view for view in inputs if view is not None], given, outs)
    return np.array(found) if isinstance(out, tuple) else found[0]


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


def opened(
    lower: Callable[..., View], hints: Sequence[Array], axes: Collection[int]
) -> Callable[[Sequence[Array]], Array | None]:
    """What ``lower(builder, *views)`` adds, as a function of arrays whose sizes along some axes are known only then.

    So are all strides. The function returns None for arrays that the program is not for.
    """
    builder, sizes, views = Builder(), [], []
    for hint in hints:
        buffer = len(builder.buffers)

        def unknown(value: int, axis: int, is_stride: bool, buffer: int = buffer) -> Any:
            found = builder.symbols.unknown(value, 0)
            sizes.append(Size(found.atom, buffer, axis, is_stride))
            return found

        shape = [unknown(size, axis, False) if axis in axes else size for axis, size in enumerate(hint.shape)]
        strides = [unknown(stride, axis, True) for axis, stride in enumerate(hint.strides)]
        views.append(builder.given(shape, strides, hint.dtype))
    out = lower(builder, *views)
    program = assembled(builder, views, [out])
    program = replace(program, given={view.buffer: 0 for view in views}, sizes=(tuple(sizes), ()))
    instance = Instance(Layout(program), 1)

    def compute(arrays: Sequence[Array]) -> Array | None:
        found = instance.run(arrays, 1, State())
        return None if found is None else found[0]

    return compute
