"""A single operation, lowered and run by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from irrun.ops import Op
from irrun.runtime.instance import Instance
from irrun.runtime.lower import lowering_of
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.program import Program, assembled
from irrun.runtime.request import Refused, Request
from irrun.runtime.symbolic import hint_of
from irrun.runtime.view import Given, View
from irrun.tensor import Array
from tests.runtime.disjoint import faults, many_tasks

MOST_BYTES = 1 << 16
"""The memory of programs whose tasks are examined: each task runs alone, over a copy of it."""


def run(op: Op, *arrays: Array | None, constants: int = 0) -> Array:
    """The output of the compiled kernels of an operation, or all of them; Unsupported where it has none for the inputs.

    The last ``constants`` inputs are constants. An input keeps the memory order of its axes. Calls that are cut into as
    many tasks as possible have to compute the same.
    """
    found = _computed(op, arrays, constants, is_examined=False)
    with many_tasks():
        again = _computed(op, arrays, constants, is_examined=True)
    largest = np.abs(found).max(initial=0, where=np.isfinite(found)) if found.dtype.kind == "f" else 0
    np.testing.assert_allclose(again, found, rtol=0, atol=1e-3 * largest)
    return found


def _computed(op: Op, arrays: Sequence[Array | None], constants: int, *, is_examined: bool) -> Array:
    builder = Builder()
    count = len(arrays) - constants
    inputs = [None if array is None else placed(builder, array) for array in arrays[:count]]
    lowered = lowering_of(type(op))
    assert lowered is not None, f"no module lowers {op.type}: if one does now, run python tools/generate.py"
    out = lowered.function(op, builder, *inputs, *arrays[count:])
    given = [array for array in arrays[:count] if array is not None]
    outs = out if isinstance(out, tuple) else (out,)
    views = [view for view in inputs if view is not None]
    found = results(builder, views, given, outs, is_examined=is_examined)
    return np.array(found) if len(outs) > 1 else found[0]


def placed(builder: Builder, array: Array) -> View:
    """An array of a program with the memory order of another one."""
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    inner = builder.empty([array.shape[axis] for axis in order], array.dtype)
    return inner.transpose(np.argsort(order).tolist())


def results(
    builder: Builder,
    inputs: Sequence[View],
    arrays: Sequence[Array],
    outs: Sequence[View],
    *,
    is_examined: bool = True,
) -> list[Array]:
    """The arrays that the calls of a builder compute. Tasks of small ones are examined, as `disjoint` says."""
    program = assembled(builder, inputs, outs)
    found = Instance(program, 1).run(Request(arrays), 1)
    if is_examined:
        _examine(program, arrays)
    return list(found)


def _examine(program: Program, arrays: Sequence[Array]) -> None:
    if sum(array.nbytes for array in arrays) <= MOST_BYTES >= sum(hint_of(buffer.size) for buffer in program.buffers):
        found = faults(program, arrays)
        assert not found, found


def opened(
    lower: Callable[..., View], hints: Sequence[Array], axes: Collection[int]
) -> Callable[[Sequence[Array]], Array | None]:
    """Return what ``lower(builder, *views)`` adds as a function of arrays, whose sizes on some axes are open before.

    So are all strides. The function returns None for arrays that the program is not for.
    """
    builder, views = Builder(), []
    for hint in hints:
        given = Given(0, [], [])

        def unknown(value: int, axis: int, atoms: list[tuple[int, int]]) -> Any:
            size = builder.symbols.unknown(value, 0)
            atoms.append((size.atom, axis))
            return size

        shape = [unknown(size, axis, given.shape) if axis in axes else size for axis, size in enumerate(hint.shape)]
        strides = [unknown(stride, axis, given.strides) for axis, stride in enumerate(hint.strides)]
        views.append(builder.given(shape, strides, hint.dtype, given))
    out = lower(builder, *views)
    program = assembled(builder, views, [out])
    instance = Instance(program, 1)

    def compute(arrays: Sequence[Array]) -> Array | None:
        try:
            found = instance.run(Request(arrays), 1)
        except Refused:
            return None
        _examine(program, arrays)
        return found[0]

    return compute
