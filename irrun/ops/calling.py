"""Calls the hooks of operations: checks inputs against the declaration, and completes the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics import OpError, amount, listing
from irrun.ops import blame
from irrun.ops.declaration import Also, In, TypeVar
from irrun.ops.operation import Op
from irrun.ops.shapes import check_extent
from irrun.ops.spec import types_text
from irrun.tensor import DYNAMIC, Array, Dim, ElementType, Fact, NegativeSize, Shape, Undecided

_MOST_SIZES: Final = 64
"""The limit on the elements of an input that is searched for a negative size."""


class WrongInputCount(OpError):
    """The number of inputs differs from that of the operation."""

    code = "IR307"


class WrongInputType(OpError):
    """The operation does not accept the element type of an input."""

    code = "IR308"


class TypeBoundTwice(OpError):
    """Two inputs that must have the same element type have different ones."""

    code = "IR309"


def infer(op: Op, inputs: Sequence[Fact | None], **context: Any) -> tuple[Fact, ...]:
    """Infer the fact of each output from those of the inputs; OpError where they do not fit the operation."""
    types = _check_inputs(op, inputs)
    inputs = as_computed(op, inputs)
    try:
        returned = blame.infer(op, *padded(op, inputs), **{name: context.get(name) for name in op.spec.infer_asks})
    except Undecided:
        returned = tuple(Shape.unknown() for _ in op.outputs)
    except NegativeSize as error:
        raise _located(error, op, inputs) from None
    results = returned if isinstance(returned, tuple | list) else (returned,)
    outputs = []
    for index, result in enumerate(results):
        output = result if isinstance(result, Fact) else Fact(_output_type(op, index, types), result)
        if op.spec.also:
            output = _as_written(op, index, output, types)
        check_extent(output.shape)
        outputs.append(output)
    return tuple(outputs)


def as_computed(op: Op, inputs: Sequence[Fact | None]) -> Sequence[Fact | None]:
    """Return the facts of the inputs in the types in which the operation computes them."""
    if not op.spec.also:
        return inputs
    return [_read(fact, op.spec.also.get(index, {})) for index, fact in enumerate(inputs)]


def is_converted_back(op: Op, outputs: Sequence[Fact]) -> bool:
    """Return whether an output has a type that the operation computes in another one."""
    pairs = zip(op.outputs, outputs, strict=False)
    return any(isinstance(port.type, TypeVar) and fact.type in port.type.also for port, fact in pairs)


def _read(fact: Fact | None, also: Also) -> Fact | None:
    """Return the fact of an input in the type in which the operation computes."""
    if fact is None or fact.type not in also:
        return fact
    type = also[fact.type]
    if fact.constant is None:
        return Fact(type, fact.shape)
    with np.errstate(all="ignore"):
        return Fact(type, fact.shape, conform(fact.constant, type))


def _as_written(op: Op, index: int, output: Fact, types: Mapping[TypeVar, tuple[ElementType, int]]) -> Fact:
    """Return an output in the type that its variable has in the file, without a value in another one."""
    type = op.outputs[min(index, len(op.outputs) - 1)].type
    written = types[type][0] if isinstance(type, TypeVar) and type in types else output.type
    return output if written is output.type else Fact(written, output.shape)


def _located(error: NegativeSize, op: Op, inputs: Sequence[Fact | None]) -> OpError:
    """Return the error, located at the input that contains the negative size where there is one."""
    for index, fact in enumerate(inputs):
        if fact is None or fact.value is None or not fact.type.is_integer or fact.value.size > _MOST_SIZES:
            continue
        if any(Dim.of(item) == error.size for item in fact.value.reshape(-1).tolist()):
            what = f"input {index} ({op.spec.input(index).name}) holds {error.size}, but a size cannot be negative"
            return OpError(what, input=index)
    return error


def run(
    op: Op,
    inputs: Sequence[Array | None],
    types: Sequence[ElementType],
    shapes: Sequence[Shape] = (),
    **context: Any,
) -> tuple[Array, ...]:
    """Compute the outputs, each rounded to its element type; ``shapes`` are theirs, where they are known."""
    known = [Fact(type, shape) for type, shape in zip(types, shapes or [Shape.unknown()] * len(types), strict=True)]
    with np.errstate(all="ignore"):
        if op.spec.also:
            inputs = [_carried(array, op.spec.also.get(index, {})) for index, array in enumerate(inputs)]
        compute = blame.runner(op, known)
        returned = compute(*padded(op, inputs), **{name: context.get(name) for name in op.spec.run_asks})
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return tuple([conform(result, type) for result, type in zip(results, types, strict=True)])


def _carried(array: Array | None, also: Also) -> Array | None:
    """Return an array in the carrier of the type in which the operation computes."""
    carriers = {written.dtype: read.dtype for written, read in also.items()}
    return array if array is None or array.dtype not in carriers else array.astype(carriers[array.dtype])


def empty(outputs: Sequence[Fact]) -> tuple[Array, ...] | None:
    """Return the outputs where none has an element, so that nothing is to be computed; None otherwise."""
    for fact in outputs:
        if not (fact.shape.is_static and fact.type.is_known and fact.shape.size.lo == 0):
            return None
    return tuple(np.empty(fact.shape.static, fact.type.dtype) for fact in outputs)


def conform(array: Any, type: ElementType) -> Array:
    """Convert an array to the carrier of its type, with values on the type's grid."""
    result: Array = np.asarray(array)
    if type.is_narrow and result.dtype.kind in ("f" if type.is_float else "iu"):
        from irrun.tensor.rounding import round_to

        result = round_to(result, type.name)
    elif type.is_known and result.dtype != type.dtype:
        return conform(result.astype(type.dtype), type)
    return result if result.dtype == type.dtype or not type.is_known else result.astype(type.dtype)


def padded(op: Op, inputs: Sequence[Any]) -> list[Any]:
    """Return the arguments of a hook: the inputs, and None for those that a layer leaves out."""
    return [*inputs, *[None] * (op.spec.fixed_inputs - len(inputs))]


def _check_inputs(op: Op, inputs: Sequence[Fact | None]) -> dict[TypeVar, tuple[ElementType, int]]:
    spec = op.spec
    least, most = spec.least_inputs, spec.most_inputs
    count = len(inputs)
    if count < least or (most is not None and count > most):
        wants = f"{least}" if least == most else f"at least {least}" if most is None else f"{least} to {most}"
        names = ", ".join(port.name for port in spec.inputs)
        raise WrongInputCount(f"{op.type} has {amount(count, 'input')}, expected {wants} ({names})")
    bound: dict[TypeVar, tuple[ElementType, int]] = {}
    for index, fact in enumerate(inputs):
        port = spec.input(index)
        if fact is None:
            if not port.optional:
                raise WrongInputCount(f"input {index} ({port.name}) is missing", input=index)
            continue
        if port.rank is not None and fact.rank is not None and fact.rank not in port.rank:
            what = f"input {index} ({port.name}) has rank {fact.rank}, expected {listing(port.rank)}"
            raise OpError(what, input=index)
        _bind(port, index, fact.type, bound)
    return bound


def _bind(port: In, index: int, type: ElementType, bound: dict[TypeVar, tuple[ElementType, int]]) -> None:
    if not type.is_known:
        return
    if type is port.type:
        return
    if isinstance(port.type, ElementType):
        raise WrongInputType(f"input {index} ({port.name}) is {type}, expected {port.type}", input=index)
    among = port.type.among if isinstance(port.type, TypeVar) else port.type
    if type not in among and type not in port.also:
        raise WrongInputType(f"input {index} ({port.name}) is {type}, expected {types_text(among)}", input=index)
    if not isinstance(port.type, TypeVar):
        return
    first, where = bound.setdefault(port.type, (type, index))
    if first is not type:
        raise TypeBoundTwice(
            f"input {index} ({port.name}) is {type} but input {where} is {first}; both must have the same type"
            f" {port.type}",
            input=index,
        )


def _output_type(op: Op, index: int, bound: Mapping[TypeVar, tuple[ElementType, int]]) -> ElementType:
    port = op.outputs[min(index, len(op.outputs) - 1)]
    if isinstance(port.type, ElementType):
        return port.type
    if isinstance(port.type, TypeVar):
        return bound[port.type][0] if port.type in bound else DYNAMIC
    if isinstance(port.type, str):
        named = next(spec for spec in op.spec.attributes if port.type in (spec.name, spec.field))
        value = getattr(op, named.field)
        return value if isinstance(value, ElementType) else ElementType.named(value)
    return DYNAMIC
