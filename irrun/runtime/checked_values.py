"""Checks values that arrive at run time as inference checks constants, before a kernel sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from irrun.diagnostics import OpError
from irrun.ops import Op
from irrun.ops.calling import empty, infer
from irrun.runtime.budget import Budget
from irrun.tensor import Array, ElementType, Fact, Shape

_MOST_RANK: Final = 2
"""The rank of the inputs whose values shape inference reads: axes, sizes, pairs."""

_MOST_ELEMENTS: Final = 64
"""The most elements of a value that is remembered as sound."""


def checked(
    op: Op, run: Callable[..., Any], inputs: Sequence[Fact | None], outputs: Sequence[Fact], budget: Budget
) -> Callable[..., Any]:
    """Return a kernel that raises OpError for values which inference refuses, and OverBudget for too large outputs.

    A kernel whose values are known, or not read by inference, is returned as it is; so is a fused one, whose values
    are known, and one with variables or bodies. Outputs without elements are returned without calling the kernel.
    """
    if op.has_effects:
        return run
    without_elements = empty(outputs)
    if without_elements is not None:
        run = _returning(without_elements)
    if not {"output_count"}.issuperset(op.spec.infer_asks) or not _is_open(inputs, outputs):
        return run
    read: set[int] = set()
    facts = [
        None if fact is None else _Read(fact.type, fact.shape, fact.value, index, read)
        for index, fact in enumerate(inputs)
    ]
    try:
        infer(op, facts, output_count=len(outputs))
    except OpError:  # It names a type of 16 bits that this plan computes in f32.
        return run
    unknown = frozenset(index for index, fact in enumerate(inputs) if fact is not None and not fact.is_determined)
    may_read_more = any(fact is not None and not fact.shape.is_static for fact in inputs)
    if not may_read_more and unknown.isdisjoint(read):
        return run
    types = [None if fact is None else fact.type for fact in inputs]
    follows = all(map(_is_named, (*outputs, *(fact for fact in inputs if fact is not None))))
    return _Checked(op, run, types, unknown, len(outputs), budget, follows)


def _returning(outputs: tuple[Array, ...]) -> Callable[..., Any]:
    return lambda *inputs, **asked: outputs  # noqa: ARG005


class _Read(Fact):
    """A fact that notes when its value is read."""

    __slots__ = ("_index", "_known", "_read")

    def __init__(self, type: ElementType, shape: Shape, value: Array | None, index: int, read: set[int]) -> None:
        self.type = type
        self.shape = shape
        self._known = value
        self._index = index
        self._read = read

    @property
    def value(self) -> Array | None:  # type: ignore[override]
        self._read.add(self._index)
        return self._known


@dataclass(slots=True)
class _Checked:
    """A kernel whose inputs are inferred before it runs, unless the last ones had the same shapes and read values.

    ``unknown`` are the inputs whose values only a run tells. If the first inference reads none of them, no other does:
    then none is needed where all sizes follow from those of Parameters, which are checked before the run.
    """

    op: Op
    run: Callable[..., Any]
    types: Sequence[ElementType | None]
    unknown: frozenset[int]
    outputs: int
    budget: Budget
    follows: bool
    read: frozenset[int] = frozenset()
    sound: tuple[Any, ...] | None = None

    def __call__(self, *arrays: Any, **asked: Any) -> Any:
        is_new = bool(self.unknown) and (self.sound is None or self.sound != self._key(arrays))
        if is_new or any(array is not None and array.size == 0 for array in arrays):
            without_elements = empty(self._inferred(arrays))
            if without_elements is not None:
                return without_elements
            self.sound = self._key(arrays)
        return self.run(*arrays, **asked)

    def _inferred(self, arrays: Sequence[Array | None]) -> tuple[Fact, ...]:
        read: set[int] = set()
        known = [
            None if array is None or type is None else _Read(type, Shape(array.shape), array, index, read)
            for index, (array, type) in enumerate(zip(arrays, self.types, strict=False))
        ]
        with np.errstate(all="ignore"):
            outputs = infer(self.op, known, output_count=self.outputs)
        for index, fact in enumerate(outputs):
            self.budget.check_memory(fact.least_bytes, f"output {index}, {fact}, takes")
        self.read |= read & self.unknown
        if self.follows and not self.read:
            self.unknown = frozenset()
        return outputs

    def _key(self, arrays: Sequence[Array | None]) -> tuple[Any, ...] | None:
        """Return what the outputs of inference depend on; None if that is too long to remember."""
        values = [array for index in self.read if (array := arrays[index]) is not None]
        if any(array.size > _MOST_ELEMENTS or array.dtype == object for array in values):
            return None
        shapes = [None if array is None else array.shape for array in arrays]
        return (*shapes, *[array.tobytes() for array in values])


def _is_open(inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> bool:
    """Return whether inference may read values of inputs that are not known before the run."""
    if not all(map(_is_named, outputs)):
        return any(fact is not None and not fact.is_determined for fact in inputs)
    short = [fact for fact in inputs if fact is not None and (fact.rank is None or fact.rank <= _MOST_RANK)]
    return not all(fact.is_determined for fact in short)


def _is_named(fact: Fact) -> bool:
    """Return whether each size is known, or known in terms of those of Parameters."""
    dims = fact.shape.dims
    return dims is not None and all(dim.is_determined for dim in dims)
