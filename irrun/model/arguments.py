"""Converts the inputs of a caller to those of a plan, and the results back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from irrun.diagnostics import near_match
from irrun.model.port import Port, find
from irrun.ops.calling import conform
from irrun.runtime.budget import owner_of
from irrun.tensor import Array, ElementType


class InputError(RuntimeError):
    """Inputs that do not fit the model; the message names the input, its value and the expectation."""


def accept(
    ports: Sequence[Port], inputs: Any, types: Sequence[ElementType], means: Mapping[int, Array] | None = None
) -> list[Array]:
    """Return a checked array for every port, in the carrier of its type in ``types``, in which the model computes.

    ``means`` are subtracted from inputs, by the index of the port.
    """
    named = _by_port(ports, inputs)
    missing = [port for port in ports if port.index not in named]
    if missing:
        wants = ", ".join(f'"{port.any_name}" ({port.element_type}{port.partial_shape})' for port in missing)
        raise InputError(f"no value for input {wants}")
    arrays = [
        given if type is port.element_type else conform(given, type)
        for port, type in zip(ports, types, strict=True)
        for given in (as_carrier(port, named[port.index]),)
    ]
    for index, mean in (means or {}).items():
        arrays[index] = conform(_centred(ports[index], arrays[index], mean), types[index])
    return arrays


def _centred(port: Port, array: Array, mean: Array) -> Array:
    """Subtract the mean from an input; InputError where the mean does not fit the shape of a reshaped model."""
    try:
        with np.errstate(all="ignore"):
            centred = array - mean
    except ValueError:
        centred = mean
    if centred.shape != array.shape:
        got, wanted = (f"[{','.join(map(str, item.shape))}]" for item in (array, mean))
        raise InputError(f'input "{port.any_name}" has shape {got}, expected one that its mean of shape {wanted} fits')
    return centred


def _by_port(ports: Sequence[Port], inputs: Any) -> dict[int, Any]:
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        known = _by_name(ports)
        return {
            known[key] if key in known else find_port(ports, key, "input").index: value for key, value in inputs.items()
        }
    if isinstance(inputs, list | tuple) and not (len(ports) == 1 and _is_nested_numbers(inputs)):
        if len(inputs) != len(ports):
            raise InputError(f"expected {len(ports)} inputs, got {len(inputs)}")
        return dict(enumerate(inputs))
    if len(ports) != 1:
        raise InputError(f"one array is given, expected one for each of the {len(ports)} inputs")
    return {0: inputs}


def _by_name(ports: Sequence[Port]) -> dict[object, int]:
    """Return the index of the port that ``find`` returns for each name."""
    known: dict[object, int] = {}
    for port in ports:
        for name in port.names:
            known.setdefault(name, port.index)
    for port in ports:
        for name in port.tensor_names:
            known.setdefault(name, port.index)
    for port in ports:
        known.setdefault(port.node_name, port.index)
        known.setdefault(port.result_name, port.index)
    return known


def _is_nested_numbers(inputs: Sequence[Any]) -> bool:
    return not inputs or isinstance(inputs[0], int | float | bool) or (len(inputs) > 1 and isinstance(inputs[0], list))


def find_port(ports: Sequence[Port], key: Any, what: str) -> Port:
    """Return the port at an index, with a name, or with the index of another port; InputError where there is none."""
    if isinstance(key, Port):
        key = key.index
    if isinstance(key, int):
        if 0 <= key < len(ports):
            return ports[key]
        raise InputError(f"there is no {what} {key}; the model has {len(ports)}")
    name = key if isinstance(key, str) else getattr(key, "any_name", str(key))
    port = find(ports, name)
    if port is None:
        close = near_match(name, [name for item in ports for name in item.all_names if name])
        known = ", ".join(item.any_name for item in ports) or "none"
        raise InputError(f'no {what} "{name}"{close or f"; the model has {known}"}')
    return port


def as_carrier(port: Port, value: Any) -> Array:
    """Convert a value to the carrier of the port's type; InputError where type or shape do not fit."""
    try:
        array: Array = np.asarray(value)
    except ValueError as error:
        raise InputError(f'input "{port.any_name}" is not an array: {error}') from None
    wanted = port.element_type
    is_carried = array.dtype == wanted.dtype and wanted.is_known and wanted.kind != "string" and not wanted.is_narrow
    if not is_carried and not _fits(array, wanted):
        raise InputError(f'input "{port.any_name}" is {array.dtype}, expected {wanted}')
    if not port.partial_shape.admits(array.shape):
        got = f"[{','.join(map(str, array.shape))}]"
        rank = port.partial_shape.rank
        detail = f" (rank {array.ndim}, expected {rank})" if rank is not None and rank != array.ndim else ""
        raise InputError(f'input "{port.any_name}" has shape {got}, expected {port.partial_shape}{detail}')
    if is_carried:
        return array
    if wanted.kind == "string":
        strings = np.empty(array.shape, dtype=object)
        strings.reshape(-1)[:] = [item if isinstance(item, str) else str(item) for item in array.reshape(-1).tolist()]
        return strings
    if wanted.is_integer and array.size:
        low, high = integer_range(wanted)
        least, most = int(array.min()), int(array.max())
        if least < low or most > high:
            outside = least if least < low else most
            raise InputError(f'input "{port.any_name}" holds {outside}, expected {wanted}, {low} to {high}')
    with np.errstate(all="ignore"):
        return conform(array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("=")), wanted)


def integer_range(type: ElementType) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer type."""
    return (-(2 ** (type.bits - 1)), 2 ** (type.bits - 1) - 1) if type.kind == "int" else (0, 2**type.bits - 1)


def _fits(array: Array, wanted: ElementType) -> bool:
    if wanted.kind == "dynamic":
        return array.dtype.kind in "biufOU"
    if wanted.kind == "string":
        return array.dtype.kind in "UO"
    return np.can_cast(array.dtype, wanted.external, "same_kind") or (array.dtype.kind in "iu" and wanted.is_integer)


def released(results: Iterable[Array], types: Iterable[ElementType], kept: Iterable[Array]) -> list[Array]:
    """Return results in the types of the Python API, none in memory of another or of those ``kept``."""
    held = {id(owner_of(array)) for array in kept}
    made: list[Array] = []
    for array, type in zip(results, types, strict=True):
        made.append(release(array, type, held))
        held.add(id(made[-1]))
    return made


def release(array: Array, type: ElementType, kept: Set[int]) -> Array:
    """Return a result in the type of the Python API, as a copy unless it owns its memory and is not among ``kept``."""
    if array.dtype != type.external and type.is_known and type.kind != "string":
        with np.errstate(all="ignore"):
            return array.astype(type.external)
    if type.is_narrow:
        array = conform(array, type)
    own = array.flags.owndata and array.flags.writeable and array.flags.c_contiguous
    return array if own and id(array) not in kept else array.copy()
