from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun.ops import Array, Dim, ElementType, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import Departure, Layer, constant
from irrun.tensor import UNBOUNDED
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


def _leads_away(_: object, layer: Layer) -> str | None:
    start, stop, step = (constant(layer, port) for port in range(3))
    if start is None or stop is None or step is None:
        return None
    if not (stop < start and step > 0) and not (stop > start and step < 0):
        return None
    return f"returns elements for a Range from {start} to {stop} by {step}, which is empty"


_BLOCK: Final = 1 << 16
"""The number of elements that are computed at a time, in 64 bits or as Python objects."""

_AWAY: Final = Departure(
    "counts |stop - start| / step elements where the step leads away from stop; the page has none", _leads_away
)
_LARGE_STEP: Final = "counts no elements where |stop - start| and |step| add up to more than 2^31"


@op("Range", opset=1)
class RangeV1(Op):
    """The numbers from start up to, but not including, stop, at intervals of step."""

    departures = {"away": _AWAY, "large step": _LARGE_STEP}
    workarounds = {"away": "Maximum of start and stop as stop, for a positive step"}

    inputs = (
        In("start", T, "the first number", rank=0),
        In("stop", T, "the end; not part of the output", rank=0),
        In("step", T, "the distance of two neighbours, not zero", rank=0),
    )
    outputs = (Out("output", T, "[n]"),)
    foldable = Fold.DIMS

    def infer(self, start: Fact, stop: Fact, step: Fact) -> Shape:
        whole = start.type.is_integer if start.type.is_known else None
        return Shape([_inferred_count(start, stop, step, whole)])

    def run(self, start: Array, stop: Array, step: Array) -> Array:
        return _numbers(start.item(), stop.item(), step.item(), start.dtype)


@op("Range", opset=4)
class RangeV4(Op):
    """The numbers from start up to, but not including, stop, at intervals of step, in a type given by an attribute.

    With an integer output the inputs are first truncated to integers, from which the number of elements follows.
    """

    departures = {
        "away": _AWAY,
        "large step": _LARGE_STEP,
        "convert": "counts with inputs that are not converted to the output type, and rounds sums of floats",
    }
    workarounds = {
        "away": "Maximum of start and stop as stop, for a positive step",
        "convert": "Convert the inputs to output_type before",
    }

    inputs = (
        In("start", NUMERIC, "the first number", rank=0),
        In("stop", NUMERIC, "the end; not part of the output", rank=0),
        In("step", NUMERIC, "the distance of two neighbours, not zero", rank=0),
    )
    outputs = (Out("output", "output_type", "[n]"),)
    foldable = Fold.DIMS

    output_type: ElementType = attr(doc="the type of the output, any numeric one")

    def verify(self) -> None:
        if self.output_type not in NUMERIC:
            raise OpError(f"output_type is {self.output_type}, expected a numeric type", attribute="output_type")

    def infer(self, start: Fact, stop: Fact, step: Fact) -> Shape:
        return Shape([_inferred_count(start, stop, step, self.output_type.is_integer)])

    def run(self, start: Array, stop: Array, step: Array) -> Array:
        first, end, apart = start.item(), stop.item(), step.item()
        if self.output_type.is_integer:
            first, end, apart = (_whole(name, x) for name, x in (("start", first), ("stop", end), ("step", apart)))
        dtype = np.dtype(object) if isinstance(first, Dim) else self.output_type.dtype
        return _numbers(first, end, apart, dtype)


def _inferred_count(start: Fact, stop: Fact, step: Fact, whole: bool | None) -> Dim:
    """Return the number of elements as far as the inputs are known; ``whole`` truncates them to integers."""
    values = [_known(fact, name, index) for index, (fact, name) in enumerate(_named(start, stop, step))]
    if None in values or whole is None:
        return Dim()
    if whole:
        values = [_whole(name, value) for value, (_, name) in zip(values, _named(start, stop, step), strict=True)]
    if any(isinstance(value, Dim) and not value.is_static for value in values[2:]):
        return Dim()
    return _count(*values)


def _named(start: Fact, stop: Fact, step: Fact) -> tuple[tuple[Fact, str], ...]:
    return ((start, "start"), (stop, "stop"), (step, "step"))


def _known(fact: Fact, name: str, index: int) -> Any:
    """Return the value as a number or a Dim, None where it is unknown; OpError where it is not finite."""
    if fact.value is not None:
        value = fact.value.item()
    elif fact.type.is_integer:
        return Dim.anything()
    else:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        raise OpError(f"{name} is {value}, expected a finite number", input=index)
    return value


def _whole(name: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise OpError(f"{name} is {value}, expected a finite number")
    return math.trunc(value) if isinstance(value, float) else value


def _count(start: Any, stop: Any, step: Any) -> Dim:
    """Return the number of elements for a known step."""
    if step == 0:
        raise OpError("step is 0, expected another number", input=2)
    if any(isinstance(value, float) for value in (start, stop, step)):
        if any(isinstance(value, Dim) and not value.is_static for value in (start, stop)):
            return Dim()
        span = (float(stop) - float(start)) / float(step)
        return Dim.exactly(max(math.ceil(span), 0)) if math.isfinite(span) else Dim()
    size = int(step)
    if isinstance(start, int) and isinstance(stop, int):
        return Dim.exactly(max(-((start - stop) // size), 0))
    if any(isinstance(value, int) and abs(value) >= UNBOUNDED for value in (start, stop)):
        return Dim()
    span_dim = Dim.of(stop) - Dim.of(start) if size > 0 else Dim.of(start) - Dim.of(stop)
    return span_dim.ceil_div(abs(size)).maximum(0)


def _numbers(start: Any, stop: Any, step: Any, dtype: np.dtype[Any]) -> Array:
    size = _count(start, stop, step)
    if not size.is_static and not isinstance(start, Dim) and not isinstance(stop, Dim):
        raise OpError(f"there are more elements from {start} to {stop} in steps of {step} than can be counted")
    count = int(size)
    if count * dtype.itemsize > np.iinfo(np.int64).max:
        raise OpError(f"{count} elements from {start} to {stop} in steps of {step} take 2^63 bytes or more")
    if count == 0:
        return np.empty(0, dtype)
    is_float = isinstance(start, float) or isinstance(step, float)
    if not is_float and not -(2**63) <= start < 2**64:
        raise OpError(f"start is {start}, expected a number of 64 bits", input=0)
    kind: Any = np.float64 if is_float else object if dtype.kind in "Ou" or abs(step) >= 2**63 else np.int64
    first, apart = np.array(start, dtype=kind), float(step) if is_float else int(step)
    result = np.empty(count, dtype)
    for begin in range(0, count, _BLOCK):
        counted = np.arange(begin, min(begin + _BLOCK, count), dtype=object if kind is object else np.int64)
        result[begin : begin + _BLOCK] = np.add(counted * apart, first)
    return result
