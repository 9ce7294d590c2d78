"""Numbers that follow from sizes alone: shape arithmetic, computed while a plan is lowered."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics.signals import is_of_signal
from irrun.ops import Fold, Op, OpError
from irrun.ops._declared.arithmetic.divide import Divide
from irrun.ops._declared.arithmetic.floor_mod import FloorMod
from irrun.ops._declared.arithmetic.maximum import Maximum
from irrun.ops._declared.arithmetic.minimum import Minimum
from irrun.ops._declared.arithmetic.mod import Mod
from irrun.ops._declared.fused.base import Fused
from irrun.ops._declared.reduction.reduce_max import ReduceMax
from irrun.ops._declared.reduction.reduce_min import ReduceMin
from irrun.ops._declared.shape.shape_of import ShapeOfV1, ShapeOfV3
from irrun.ops._declared.type.convert import Convert
from irrun.ops._declared.type.convert_like import ConvertLike
from irrun.ops.blame import runner
from irrun.runtime.execute import FAILURES, conformed
from irrun.runtime.plan import Step
from irrun.runtime.symbolic import NotWhole, Number, Symbols, SymInt, hint_of, is_found
from irrun.runtime.view import Numbers, Value, View
from irrun.tensor import Array, Fact
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

_TRUTH: Final = np.frompyfunc(lambda number: number if is_found(number) else bool(number), 1, 1)
"""Truth values, which a guard makes constants, unless calls find the numbers."""

_FLOORED: Final = np.frompyfunc(operator.floordiv, 2, 1)

_FEW: Final = 16
"""Elements of a tensor that are functions of sizes."""

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
        if op is None or not any(isinstance(value, Numbers) or self.is_guarded(value) for value in given):
            return None
        found = None if self._is_told_by_guards(op, step, given) else self._polynomials(op, step, given)
        return found or self._functions(op, step, given)

    def _is_told_by_guards(self, op: Op, step: Step, given: Sequence[Value]) -> bool:
        """Return whether polynomials would need guards that fail often: the order of sizes, or how many are found."""
        is_truth = BOOLEAN in step.types and any(map(is_found, _numbers_of(given)))
        return is_truth or isinstance(op, ReduceMin | ReduceMax)

    def _polynomials(self, op: Op, step: Step, given: Sequence[Value]) -> tuple[Value, ...] | None:
        """The outputs of a step that does arithmetic of integers, or moves them."""
        arrays = [integers_of(value) for value in given]
        if any(value is not None and array is None for value, array in zip(given, arrays, strict=True)):
            return None
        if not op.foldable.takes_dims:
            return None
        if not all(type is BOOLEAN or (type.is_integer and type.bits >= _WHOLE_BITS) for type in step.types):
            return None
        run = _FLOORED if isinstance(op, Divide) and op.m_pythondiv else _OF_SIZES.get(type(op)) or runner(op)
        asked = {"facts": step.declared} if "facts" in op.spec.run_asks else {}
        self._symbols.forbids_fixing = True
        try:
            results = run(*arrays, **asked)
        except (NotWhole, OpError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError):
            return None
        finally:
            self._symbols.forbids_fixing = False
        return self._known(results if isinstance(results, tuple | list) else (results,), step)

    def _functions(self, op: Op, step: Step, given: Sequence[Value]) -> tuple[Value, ...] | None:
        """The outputs of a step of few numbers, each a function of sizes: NumPy computes them for those of each run."""
        if (op.foldable is Fold.NEVER and not isinstance(op, Fused)) or step.asks:
            return None
        if any(isinstance(value, View) for value in given) or not all(map(_is_small, step.facts)):
            return None
        function = _of_numbers(step, given)
        open_ones = [number for number in _numbers_of(given) if isinstance(number, SymInt)]
        try:
            found = function(*map(hint_of, open_ones))
        except FAILURES as error:
            if is_of_signal(error):
                raise
            return None
        if open_ones:
            found = tuple(self._symbols.apply(function, open_ones, index) for index in range(len(found)))
        outputs, place = [np.empty(fact.shape.static, object) for fact in step.facts], 0
        for output in outputs:
            output.reshape(-1)[:] = found[place : place + output.size]
            place += output.size
        return self._known(outputs, step)

    def _known(self, found: Sequence[Any], step: Step) -> tuple[Value, ...]:
        """Numbers, or constants where all are known."""
        made: list[Value] = []
        for array, type in zip(found, step.types, strict=True):
            values = np.asarray(_TRUTH(array) if type is BOOLEAN else array, object)
            if any(isinstance(value, SymInt) for value in values.flat):
                made.append(Numbers(values, type.dtype))
            else:
                constant = values.astype(type.dtype)
                self._guarded[id(constant)] = constant
                made.append(constant)
        return tuple(made)


def _numbers_of(values: Sequence[Value]) -> list[Number]:
    return [number for value in values if isinstance(value, Numbers) for number in value.values.flat]


def _is_small(fact: Fact) -> bool:
    """Return whether a tensor has few numbers, which fit the words of a program."""
    is_number = fact.type.is_known and not fact.type.is_narrow and fact.type.dtype.kind in "bif"
    return is_number and fact.shape.is_static and math.prod(fact.shape.static) <= _FEW


def _of_numbers(step: Step, given: Sequence[Value]) -> Callable[..., tuple[Any, ...]]:
    """The function that computes the elements of all outputs of a step from the symbolic numbers among its inputs."""

    def function(*numbers: Any) -> tuple[Any, ...]:
        rest = iter(numbers)
        arrays = [x.filled(lambda _: next(rest)) if isinstance(x, Numbers) else x for x in given]
        with np.errstate(all="ignore"):
            outputs = conformed(step, step.run(*arrays))
        return tuple(number for output in outputs for number in output.reshape(-1).tolist())

    function.__name__ = step.node.type
    return function


def integers_of(value: Value) -> Array | None:
    """The integers of a constant or of numbers, or truth values."""
    if isinstance(value, Numbers):
        return value.values if value.dtype.kind != "f" else None
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
        return value
    return None
