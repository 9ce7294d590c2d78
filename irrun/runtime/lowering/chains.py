"""Chains of element-wise functions, and reductions of them: written as expressions, computed by one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.runtime.lowering.builder import (
    Builder,
    Unsupported,
    broadcast,
    broadcast_shape,
    empty_as,
    is_symbolic,
    memory_order,
    share,
)
from irrun.runtime.lowering.copies import emit_contiguous, table_of_axes
from irrun.runtime.symbolic import Number, largest, of_sizes
from irrun.runtime.view import Numbers, Operand, View
from irrun.tensor.element_type import dtype_text
from irrun_kernels.elementwise import CALL, Chain, Fold, chain, items_of, workspace_of
from irrun_kernels.functions import RUN
from irrun_kernels.native import NOWHERE
from irrun_kernels.scalars import ELEMENTS, KINDS, NUMBERS

_OF_BITS: Final = frozenset(
    {"add", "subtract", "multiply", "negative", "equal", "not_equal", "left_shift"}
    | {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}
)
"""Functions of 64 bits that do not depend on whether there is a sign."""

_STORED: Final = {1: "b", 2: "h", 4: "i"}


class ChainValue(NamedTuple):
    """An array of elements of a type, by the letter of `KINDS`; numbers count inputs and results separately."""

    number: int
    kind: str
    is_input: bool = False


class _Call(NamedTuple):
    element: int
    operands: tuple[ChainValue, ...]
    result: ChainValue


class Expression:
    """Calls of functions of elements. Integers are computed in 64 bits."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.inputs: list[Operand] = []
        self._calls: list[_Call] = []

    def read(self, array: Operand) -> ChainValue:
        """An input; Unsupported if there are no functions of its type."""
        if array.dtype not in KINDS:
            raise Unsupported(f"elements of {dtype_text(array.dtype)}")
        place = next((place for place, other in enumerate(self.inputs) if other is array), len(self.inputs))
        if place == len(self.inputs):
            self.inputs.append(array)
        return ChainValue(place, KINDS[array.dtype], True)

    def number(self, value: Number, kind: str) -> ChainValue:
        """A constant, or a size that is known when a run begins."""
        if is_symbolic(value):
            return self.read(self.builder.view(Numbers(np.array([value], object), np.dtype(kind))))
        return self.read(np.array(value, kind))

    def __call__(self, name: str, *operands: ChainValue) -> ChainValue:
        """A function of `ELEMENTS`; Unsupported if it does not have it."""
        kinds = "".join(operand.kind for operand in operands)
        found = _number(name, kinds)
        result = ELEMENTS[found].result
        value = ChainValue(len(self._calls), kinds[0] if name in _OF_BITS and result != "?" else result)
        self._calls.append(_Call(found, operands, value))
        return value

    def computed(self, value: ChainValue) -> ChainValue:
        """A value in the type in which it is computed: integers of less than 64 bits in i64."""
        return self("to_q", value) if value.kind in "bhiBHI" else value

    def stored(self, value: ChainValue, dtype: np.dtype[Any]) -> ChainValue:
        """Integers of 64 bits as those of another type, which wrap; any other value as it is."""
        kind = KINDS[dtype]
        if value.kind in "qQ" and kind not in "qQ":
            value = self(f"to_{_STORED[dtype.itemsize]}", value._replace(kind="q"))
        return value._replace(kind=kind)

    def is_constant(self, value: ChainValue, number: float) -> bool:
        """Return whether a value is an input that is this constant number."""
        x = self.inputs[value.number] if value.is_input else None
        return self.builder.is_constant(x) and x.size == 1 and bool(x.reshape(()) == number)

    def emit_into(self, result: ChainValue, out: View) -> View:
        """Compute a result in ``out``, which has no gaps."""
        order = memory_order(out)
        given = [broadcast(self.builder, x, out.shape).transpose(order) for x in self.inputs]
        each, tasks = share(largest(1, -(-out.size // RUN)), self._cost * out.size + 30 * len(given))
        self._call(result, out.transpose(order), given, out.size, each * RUN, tasks, Fold())
        return out

    def emit_fold(self, name: str, result: ChainValue, axes: Sequence[int], start: Any) -> View:
        """The array of results that are reduced along some axes, by a function of `FOLDED`; the axes have size 1.

        ``start`` is the number that a function begins with.
        """
        builder, function = self.builder, _number(name, 2 * result.kind)
        shape, like = self._shape()
        order = list(range(len(shape))) if like is None else memory_order(like)
        reduced = [axis for axis in order if axis in axes]
        last = order.index(reduced[-1])
        outer, inner = ([axis for axis in part if axis not in axes] for part in (order[:last], order[last:]))
        given = [broadcast(builder, x, shape).transpose([*outer, *reduced, *inner]) for x in self.inputs]
        rows, count, columns = (math.prod(shape[axis] for axis in part) for part in (outer, reduced, inner))
        size = rows * count * columns
        parts = 1 if is_symbolic(size) else _parts(rows, count, columns)
        dtype = np.dtype(result.kind)
        out = builder.empty((parts, *(shape[axis] for axis in outer), *(shape[axis] for axis in inner)), dtype)
        items = of_sizes(items_of)(rows, count, columns, parts)
        each, tasks = share(items, (self._cost + 0.2) * size + 5 * out.size)
        begin = builder.constant(np.array([start], dtype), dtype)
        fold = Fold(function, begin, rows, count, columns, parts)
        self._call(result, out, given, items, each, tasks, fold)
        if parts > 1:
            sums = Expression(builder)
            out = sums.emit_fold(name, sums.read(out), [0], start)
        whole = out[0][(*(slice(None),) * (out.ndim - 1), *(None,) * len(reduced))]
        return whole.transpose(np.argsort([*outer, *inner, *reduced]).tolist())

    def _shape(self) -> tuple[tuple[Number, ...], Operand | None]:
        """The shape to which all inputs broadcast, and the first input that has it."""
        shape = broadcast_shape(*(x.shape for x in self.inputs))
        whole = (x for x in self.inputs if x.ndim == len(shape) and x.shape == tuple(shape))
        return shape, next(whole, None)

    @property
    def _cost(self) -> float:
        """Nanoseconds for an element."""
        return sum(ELEMENTS[call.element].cost for call in self._calls)

    def _call(
        self,
        result: ChainValue,
        out: View,
        given: Sequence[View],
        items: Number,
        per_task: Number,
        tasks: Number,
        fold: Fold,
    ) -> None:
        """Add the call; inputs have one shape, whose axes are in the order of ``out``, or of a fold."""
        builder, rank = self.builder, given[0].ndim
        calls, workspaces = self._allocated(result)
        whole = [_emit_without_gaps(builder, x) for x in given]
        axes, tables = table_of_axes(builder, whole, given[0].shape, range(rank))
        operands = [each for x in whole for each in (builder.address(x), x.itemsize)]
        used = (ELEMENTS[call.element] for call in self._calls)
        kinds = {result.kind, *(kind for element in used for kind in element.operands + element.result)}
        block = max(np.dtype(kind).itemsize for kind in kinds) * RUN
        builder.call(
            chain,
            Chain(
                out=builder.address(out),
                width=out.itemsize,
                axes=axes,
                operands=NOWHERE,
                inputs=len(whole),
                calls=NOWHERE,
                functions=len(self._calls),
                blocks=workspaces,
                block=block,
                elements=items,
                per_task=per_task,
                fold=fold,
            ),
            tasks,
            workspace_of(rank, len(whole), workspaces, block),
            {**tables, "operands": operands, "calls": calls},
        )

    def emit(self, result: ChainValue, dtype: np.dtype[Any]) -> View:
        """The array of a result, in the memory order of the first input that has its shape; an input itself."""
        result = self.stored(result, dtype)
        if result.is_input:
            return replace(self.builder.view(self.inputs[result.number]), dtype=dtype)
        shape, like = self._shape()
        out = self.builder.empty(shape, dtype) if like is None else empty_as(self.builder, like, dtype)
        return self.emit_into(result, out)

    def _allocated(self, result: ChainValue) -> tuple[list[int], int]:
        """Calls with the numbers of arrays, and how many blocks of workspace they need."""
        last = {
            operand.number: place
            for place, call in enumerate(self._calls)
            for operand in call.operands
            if not operand.is_input
        }
        places: dict[int, int] = {}
        free: list[int] = []
        count = 0
        numbers: list[int] = []
        for place, call in enumerate(self._calls):
            if call.result.number == result.number:
                places[call.result.number] = len(self.inputs)
            else:
                if not free:
                    count += 1
                    free.append(len(self.inputs) + count)
                places[call.result.number] = free.pop()
            found = [one.number if one.is_input else places[one.number] for one in call.operands]
            numbers += [call.element, places[call.result.number], *found, *[0] * (CALL - 2 - len(found))]
            ended = {one.number for one in call.operands if not one.is_input and last[one.number] == place}
            free += [places[number] for number in sorted(ended) if number != result.number]
        return numbers, count


def emit_type(builder: Builder, x: Operand, dtype: np.dtype[Any]) -> View:
    """Integers in 64 bits, or those of 64 bits as another type, which wrap; an array of the same width as it is."""
    e = Expression(builder)
    value = e.read(x)
    return e.emit(value if x.itemsize == dtype.itemsize else e.computed(value), dtype)


def _number(name: str, kinds: str) -> int:
    """The number of a function; Unsupported if there is none for operands of these types."""
    found = NUMBERS.get((name, kinds))
    if found is None and name in _OF_BITS:
        found = NUMBERS.get((name, kinds.replace("Q", "q")))
    if found is None:
        types = ", ".join(dtype_text(np.dtype(kind)) for kind in kinds)
        raise Unsupported(f"no function {name} of {types}")
    return found


def _parts(outer: int, reduced: int, inner: int) -> int:
    """The parts of an axis that are reduced by themselves, so that there are tasks enough."""
    items = items_of(outer, reduced, inner, 1)
    return max(1, min(_MOST_PARTS // items, outer * reduced * inner // _LEAST_PART, reduced)) if items else 1


_MOST_PARTS: Final = 8
_LEAST_PART: Final = 1 << 15


def _emit_without_gaps(builder: Builder, x: View) -> View:
    """A copy of an array that is not broadcast and whose last axis has gaps."""
    if x.ndim == 0 or is_symbolic(*x.strides) or x.strides[-1] == x.itemsize or 0 in x.strides or x.shape[-1] == 1:
        return x
    return emit_contiguous(builder, x)
