"""Inference and execution of Loop and TensorIterator: sliced inputs, back edges, concatenated outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irrun.ops import Array, Dim, Fact, OpError, Shape
from irrun.ops._declared.condition.if_ import union
from irrun.ops.context import BodyCall, BodyInput, BodyOutput, BodyPorts
from irrun.ops.shapes import normalize_axis, with_axis
from irrun.tensor import DYNAMIC

_MOST_PASSES = 8

Iterations = Callable[[tuple[Fact, ...]], Dim]


def infer_loop(body: BodyCall, inputs: Sequence[Fact], iterations: Iterations) -> tuple[Fact, ...]:
    """Infer the fact of each output. ``iterations`` computes the number of iterations from the facts of the Results.

    Shapes that a back edge carries are widened until another iteration changes nothing; types stay.
    """
    ports = body.ports
    carried = {parameter: result for result, parameter in ports.back_edges}
    parameters: list[Fact | None] = [None] * ports.parameters
    for entry in ports.inputs:
        if entry.external is not None:
            if entry.external >= len(inputs):
                raise OpError(f"the port map uses input {entry.external}, which is not connected")
            fact = inputs[entry.external]
            if entry.axis is not None:
                fact = Fact(fact.type, _sliced(entry, fact.shape))
            elif entry.internal in carried:
                fact = Fact(fact.type, fact.shape)
            parameters[entry.internal] = fact
    first = list(parameters)
    results = body.call(parameters)
    for parameter, result in carried.items():
        before, after = parameters[parameter], results[result]
        if before is not None and before.type.is_known and after.type.is_known and before.type is not after.type:
            raise OpError(f"a back edge carries {after.type} to a Parameter of the body that begins as {before.type}")
    for attempt in range(_MOST_PASSES):
        converged = True
        for parameter, result in carried.items():
            before = parameters[parameter]
            if before is None:
                continue
            after = union(before, results[result])
            if before.type.is_known:
                after = Fact(before.type, after.shape)
            if after.shape != before.shape or after.type is not before.type:
                parameters[parameter] = after if attempt < _MOST_PASSES - 2 else _widened(before, after)
                converged = False
        if converged:
            break
        results = body.call(parameters)
    count = iterations(results)
    for entry in ports.inputs:
        if entry.axis is not None and entry.external is not None and count.lo > 0:
            slices = slices_of(entry, inputs[entry.external].shape)
            if slices.hi < count.lo:
                raise OpError(too_few(entry, slices.hi, count.lo), input=entry.external)
    back = dict(ports.back_edges)
    facts = [Fact.unknown() for _ in range(_outputs(ports))]
    for out in ports.outputs:
        if out.external is None:
            continue
        initial = first[back[out.internal]] if out.internal in back else None
        facts[out.external] = _output(out, results[out.internal], count, initial)
    return tuple(facts)


def run_loop(
    body: BodyCall, inputs: Sequence[Array], most: int, condition: int | None, begin: bool
) -> tuple[Array, ...]:
    """Run the body up to ``most`` times, without limit where that is negative, while its condition is true."""
    ports = body.ports
    parameters: list[Array | None] = [None] * ports.parameters
    slices: list[_Slices] = []
    counters: list[int] = []
    for entry in ports.inputs:
        if entry.external is None:
            counters.append(entry.internal)
        elif entry.axis is not None:
            slices.append(_Slices(entry, inputs[entry.external]))
        else:
            parameters[entry.internal] = inputs[entry.external]
    joined: dict[int, list[Array]] = {entry.internal: [] for entry in ports.outputs if entry.axis is not None}
    results: tuple[Array, ...] = ()
    done = 0
    going = begin
    while going and (most < 0 or done < most):
        for internal in counters:
            parameters[internal] = _number(body.parameters[internal], done)
        for cut in slices:
            parameters[cut.entry.internal] = cut[done]
        results = body.call(parameters)
        for internal, parts in joined.items():
            parts.append(np.atleast_1d(results[internal]))
        for result, parameter in ports.back_edges:
            parameters[parameter] = results[result]
        done += 1
        going = condition is None or bool(results[condition].reshape(-1)[0])
    back = dict(ports.back_edges)
    arrays: list[Array] = [np.empty(0)] * _outputs(ports)
    for out in ports.outputs:
        if out.external is None:
            continue
        if out.axis is not None:
            parts = joined[out.internal] if out.stride > 0 else joined[out.internal][::-1]
            none = _nothing(out.axis, body.results[out.internal])
            arrays[out.external] = np.concatenate(parts, axis=out.axis) if parts else none
        elif results:
            arrays[out.external] = results[out.internal]
        elif out.internal in back:
            initial = parameters[back[out.internal]]
            arrays[out.external] = initial if initial is not None else np.empty(0)
        else:
            raise OpError(
                f"output {out.external} has no value: there was no iteration, and no back edge begins with one"
            )
    return tuple(arrays)


def _nothing(axis: int, result: Fact) -> Array:
    """Return the concatenation of no iterations: empty along the axis, with other sizes as far as they are known."""
    part = _part(result.shape)
    if part.rank is None:
        return np.empty(0, dtype=result.type.dtype)
    return np.empty(with_axis(part, axis % part.rank, 0).lower, dtype=result.type.dtype)


def _part(result: Shape) -> Shape:
    """Return the shape that a result has in a concatenation: a scalar is one element of it."""
    return Shape([1]) if result.rank == 0 else result


def _number(parameter: Fact, iteration: int) -> Array:
    """Return the number of an iteration as the Parameter declares it: a scalar, or one element."""
    rank = parameter.shape.rank or 0
    return np.full((1,) * rank, iteration, parameter.type.dtype)


def _outputs(ports: BodyPorts) -> int:
    """Return the number of outputs of the operation by its port map."""
    return max((entry.external for entry in ports.outputs if entry.external is not None), default=-1) + 1


def slice_count(entry: BodyInput | BodyOutput, size: Dim) -> Dim:
    """Return the number of slices of a tensor with this size along the sliced axis; OpError where they leave it."""
    begin, end = _bounds(entry, size)
    step = abs(entry.stride)
    length = end - begin if entry.stride > 0 else begin - end
    inside = not size.is_static or (0 <= begin.lo <= size.lo and 0 <= end.lo <= size.lo)
    what = ""
    if not 0 < entry.part_size <= step:
        what = f"the port map has part_size {entry.part_size}, expected 1 to its stride of {step}"
    elif not inside or length.hi < 0:
        what = f"slices from {entry.start} to {entry.end} by {entry.stride} are outside a size of {size}"
    elif length.is_static and length.lo % step:
        what = f"a length of {length} cannot be cut by a stride of {entry.stride}"
    if what:
        raise OpError(what, input=_port(entry))
    return length // step


def slices_of(entry: BodyInput | BodyOutput, shape: Shape) -> Dim:
    """Return the number of slices of a tensor; OpError where they leave it."""
    if shape.rank is None:
        return Dim()
    return slice_count(entry, shape[sliced_axis(entry, shape.rank)]).as_dimension()


def _bounds(entry: BodyInput | BodyOutput, size: Dim) -> tuple[Dim, Dim]:
    """Return the begin and end of the iteration; -1 is the position past the last element."""
    begin = Dim.of(entry.start) if entry.start >= 0 else size + (entry.start + 1)
    end = Dim.of(entry.end) if entry.end >= 0 else size + (entry.end + 1)
    return begin, end


def sliced_axis(entry: BodyInput | BodyOutput, rank: int) -> int:
    """Return the axis along which a tensor is sliced, counted from the front; OpError where it cannot be sliced."""
    if entry.stride == 0:
        raise OpError("the stride of a port map is 0", input=_port(entry))
    return normalize_axis(entry.axis or 0, rank, attribute=None, input=_port(entry))


def _port(entry: BodyInput | BodyOutput) -> int | None:
    return entry.external if isinstance(entry, BodyInput) else None


def _sliced(entry: BodyInput, shape: Shape) -> Shape:
    if shape.rank is None or entry.axis is None:
        return shape
    return with_axis(shape, sliced_axis(entry, shape.rank), entry.part_size)


class _Slices:
    """The slices of an input, by iteration."""

    def __init__(self, entry: BodyInput, array: Array) -> None:
        self.entry = entry
        self._axis = sliced_axis(entry, array.ndim)
        self._array = array
        size = Dim.of(array.shape[self._axis])
        self._count = slice_count(entry, size).lo
        begin = _bounds(entry, size)[0].lo
        self._first = begin if entry.stride > 0 else begin + entry.stride

    def __getitem__(self, iteration: int) -> Array:
        if iteration >= self._count:
            raise OpError(too_few(self.entry, self._count, iteration + 1), input=self.entry.external)
        at = self._first + iteration * self.entry.stride
        return self._array[(slice(None),) * self._axis + (slice(at, at + self.entry.part_size),)]


def too_few(entry: BodyInput, slices: int, iterations: int) -> str:
    """Return the message where an input has fewer slices than there are iterations."""
    return f"input {entry.external} has {slices} slices along axis {entry.axis}, expected {iterations} or more"


def _output(entry: BodyOutput, result: Fact, count: Dim, initial: Fact | None) -> Fact:
    if entry.axis is None:
        if count.lo > 0:
            return Fact(result.type, result.shape)
        return union(result, initial) if initial is not None else Fact(result.type, Shape.unknown())
    part = _part(result.shape)
    if part.rank is None:
        return Fact(result.type, part)
    axis = sliced_axis(entry, part.rank)
    return Fact(result.type, with_axis(part, axis, part[axis] * count))


def _widened(before: Fact, after: Fact) -> Fact:
    """Return a fact that further iterations cannot change: sizes that still change become unknown."""
    if after.shape.dims is None or before.shape.dims is None:
        return Fact(after.type, Shape.unknown())
    type = after.type if after.type is before.type else DYNAMIC
    return Fact(type, Shape([b if a == b else Dim() for a, b in zip(before.shape, after.shape, strict=True)]))
