"""Numbers that follow from sizes alone: shape arithmetic, computed while a plan is lowered."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.ops import Fold, Op, OpError
from irrun.ops.arithmetic.divide import Divide
from irrun.ops.arithmetic.floor_mod import FloorMod
from irrun.ops.arithmetic.maximum import Maximum
from irrun.ops.arithmetic.minimum import Minimum
from irrun.ops.arithmetic.mod import Mod
from irrun.ops.shape.shape_of import ShapeOfV1, ShapeOfV3
from irrun.ops.type.convert import Convert
from irrun.ops.type.convert_like import ConvertLike
from irrun.runtime.lowering.builder import Numbers, Value
from irrun.runtime.plan import Step
from irrun.runtime.symbolic import NotWhole, Number, Symbols, SymInt
from irrun.runtime.view import View
from irrun.tensor import Array
from irrun.tensor.element_type import BOOLEAN


def _toward_zero(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A division that rounds toward zero, from one that rounds down: they are the same where nothing is negative."""

    def divided(number: Number, divisor: Number) -> Number:
        if number < 0 or divisor <= 0:
            raise NotWhole(f"{number} / {divisor}")
        return function(number, divisor)

    return np.frompyfunc(divided, 2, 1)


_OF_SIZES: Final[Mapping[type[Op], Callable[..., Any]]] = {
    Convert: lambda sizes: sizes,
    ConvertLike: lambda sizes, _like: sizes,
    Divide: _toward_zero(operator.floordiv),
    FloorMod: np.frompyfunc(operator.mod, 2, 1),
    Maximum: np.frompyfunc(max, 2, 1),
    Minimum: np.frompyfunc(min, 2, 1),
    Mod: _toward_zero(operator.mod),
}
"""The functions of sizes, for operations that treat integers of a type or ranges of them otherwise."""

_TRUTH: Final = np.frompyfunc(bool, 1, 1)
_FLOORED: Final = np.frompyfunc(operator.floordiv, 2, 1)

_WHOLE_BITS: Final = 32
"""Bits of integers that are not expected to overflow."""


class Folding:
    """Computes the outputs of steps that depend on sizes only, and remembers which are constant by a guard."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._guarded: dict[int, Array] = {}

    def is_guarded(self, value: Value) -> bool:
        """Return whether a value is an array that is the same in all runs for which the guards hold."""
        return id(value) in self._guarded

    def outputs(self, step: Step, given: Sequence[Value]) -> tuple[Value, ...] | None:
        """The outputs of a step; None if they depend on more than sizes."""
        op = step.node.op
        if isinstance(op, ShapeOfV1 | ShapeOfV3) and isinstance(given[0], View):
            return self._known([np.array(given[0].shape, object)], step)
        if op is None or op.foldable is not Fold.DIMS:
            return None
        if not any(isinstance(value, Numbers) or self.is_guarded(value) for value in given):
            return None
        arrays = [integers_of(value) for value in given]
        if any(value is not None and array is None for value, array in zip(given, arrays, strict=True)):
            return None
        if not all(type is BOOLEAN or (type.is_integer and type.bits >= _WHOLE_BITS) for type in step.types):
            return None
        run = _FLOORED if isinstance(op, Divide) and op.m_pythondiv else _OF_SIZES.get(type(op), op.run)
        asked = {"facts": step.declared} if "facts" in op.spec.run_asks else {}
        self._symbols.forbids_fixing = True
        try:
            results = run(*arrays, **asked)
        except (NotWhole, OpError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError):
            return None
        finally:
            self._symbols.forbids_fixing = False
        return self._known(results if isinstance(results, tuple | list) else (results,), step)

    def _known(self, found: Sequence[Any], step: Step) -> tuple[Value, ...]:
        pairs = zip(found, step.types, strict=True)
        arrays = [_TRUTH(array) if type is BOOLEAN else array for array, type in pairs]
        made = [_numbers(np.asarray(array, object), type.dtype) for array, type in zip(arrays, step.types, strict=True)]
        self._guarded.update({id(value): value for value in made if isinstance(value, np.ndarray)})
        return tuple(made)


def integers_of(value: Value) -> Array | None:
    """The integers of a constant or of numbers, or truth values."""
    if isinstance(value, Numbers):
        return value.values
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
        return value
    return None


def _numbers(values: Array, dtype: np.dtype[Any]) -> Numbers | Array:
    """Numbers, or a constant where all are known."""
    if not any(isinstance(value, SymInt) for value in values.reshape(-1)):
        return values.astype(dtype)
    return Numbers(values, dtype)
