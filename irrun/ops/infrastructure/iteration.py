"""Inference and execution of Loop and TensorIterator: sliced inputs, back edges, concatenated outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irrun.ops import Array, Dim, Fact, OpError, Shape
from irrun.ops.condition.if_ import union
from irrun.ops.context import BodyCall, BodyInput, BodyOutput, BodyPorts
from irrun.ops.shapes import normalize_axis, with_axis
from irrun.tensor import DYNAMIC

_MOST_PASSES = 8

Iterations = Callable[[tuple[Fact, ...]], Dim]


def infer_loop(body: BodyCall, inputs: Sequence[Fact], iterations: Iterations) -> tuple[Fact, ...]:
    """Infer the fact of each output. ``iterations`` computes the number of iterations from the facts of the Results.

    Facts that a back edge carries are widened until another iteration changes nothing.
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
    for attempt in range(_MOST_PASSES):
        converged = True
        for parameter, result in carried.items():
            before = parameters[parameter]
            if before is None:
                continue
            after = union(before, results[result])
            if after.shape != before.shape or after.type is not before.type:
                parameters[parameter] = after if attempt < _MOST_PASSES - 2 else _widened(before, after)
                converged = False
        if converged:
            break
        results = body.call(parameters)
    count = iterations(results)
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
    slices: list[tuple[BodyInput, Array]] = []
    counters: list[int] = []
    for entry in ports.inputs:
        if entry.external is None:
            counters.append(entry.internal)
        elif entry.axis is not None:
            slices.append((entry, inputs[entry.external]))
        else:
            parameters[entry.internal] = inputs[entry.external]
    joined: dict[int, list[Array]] = {entry.internal: [] for entry in ports.outputs if entry.axis is not None}
    results: tuple[Array, ...] = ()
    done = 0
    going = begin
    while going and (most < 0 or done < most):
        for internal in counters:
            parameters[internal] = np.asarray(done, dtype=np.int64)
        for entry, array in slices:
            parameters[entry.internal] = _slice(entry, array, done)
        results = body.call(parameters)
        for internal, parts in joined.items():
            parts.append(results[internal])
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
    return tuple(arrays)


def _nothing(axis: int, result: Fact) -> Array:
    """Return the concatenation of no iterations: empty along the axis, with other sizes as far as they are known."""
    if result.shape.rank is None:
        return np.empty(0, dtype=result.type.dtype)
    return np.empty(with_axis(result.shape, axis % result.shape.rank, 0).lower, dtype=result.type.dtype)


def _outputs(ports: BodyPorts) -> int:
    """Return the number of outputs of the operation by its port map."""
    return max((entry.external for entry in ports.outputs if entry.external is not None), default=-1) + 1


def slice_count(entry: BodyInput, size: Dim) -> Dim:
    """Return the number of slices of an input with this size along the sliced axis."""
    begin, end = _bounds(entry, size)
    length = end - begin if entry.stride > 0 else begin - end
    return length // abs(entry.stride)


def _bounds(entry: BodyInput, size: Dim) -> tuple[Dim, Dim]:
    """Return the begin and end of the iteration; -1 is the position past the last element."""
    begin = Dim.of(entry.start) if entry.start >= 0 else size + (entry.start + 1)
    end = Dim.of(entry.end) if entry.end >= 0 else size + (entry.end + 1)
    return begin, end


def sliced_axis(entry: BodyInput, rank: int) -> int:
    """Return the axis along which an input is sliced, counted from the front; OpError where it cannot be sliced."""
    if entry.stride == 0:
        raise OpError("the stride of a port map is 0", input=entry.external)
    return normalize_axis(entry.axis or 0, rank, attribute=None, input=entry.external)


def _sliced(entry: BodyInput, shape: Shape) -> Shape:
    if shape.rank is None or entry.axis is None:
        return shape
    return with_axis(shape, sliced_axis(entry, shape.rank), entry.part_size)


def _slice(entry: BodyInput, array: Array, index: int) -> Array:
    assert entry.axis is not None
    begin = _bounds(entry, Dim.of(array.shape[entry.axis]))[0].lo
    at = begin + index * entry.stride if entry.stride > 0 else begin + (index + 1) * entry.stride
    axis = entry.axis % array.ndim
    return array[(slice(None),) * axis + (slice(at, at + entry.part_size),)]


def _output(entry: BodyOutput, result: Fact, count: Dim, initial: Fact | None) -> Fact:
    if entry.axis is None:
        if count.lo > 0:
            return Fact(result.type, result.shape)
        return union(result, initial) if initial is not None else Fact(result.type, Shape.unknown())
    if result.shape.rank is None:
        return Fact(result.type, Shape.unknown())
    axis = normalize_axis(entry.axis, result.shape.rank, attribute=None)
    return Fact(result.type, with_axis(result.shape, axis, result.shape[axis] * count))


def _widened(before: Fact, after: Fact) -> Fact:
    """Return a fact that further iterations cannot change: sizes that still change become unknown."""
    if after.shape.dims is None or before.shape.dims is None:
        return Fact(after.type, Shape.unknown())
    type = after.type if after.type is before.type else DYNAMIC
    return Fact(type, Shape([b if a == b else Dim() for a, b in zip(before.shape, after.shape, strict=True)]))
