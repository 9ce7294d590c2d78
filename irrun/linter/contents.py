"""Examines the values of constants: NaN, infinity, subnormals and large numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.document.weights import Weights
from irrun.linter.constants import Constant, clashing, constants
from irrun.linter.context import Context
from irrun.linter.scopes import once
from irrun.tensor import Array
from irrun.tensor.packing import storage_size

BLOCK: Final = 1 << 16
"""Elements examined at a time, few enough for the processor's cache."""


LEAST_HALF: Final = 2.0**-14
"""The smallest normal number of f16."""

ZERO_HALF: Final = 2.0**-25
"""The largest number that becomes 0 in f16."""

MOST_MEANT: Final = 1 << 12
"""The limit on the elements of a constant that is not a tensor of weights."""


class UnusualNumbers(NamedTuple):
    """The number of unusual elements of a float array; ``largest`` is the largest finite magnitude."""

    nan: int
    infinite: int
    subnormal: int
    largest: float


class _Layout(NamedTuple):
    """The bit layout of a float type: unsigned codes of the largest finite, first NaN and smallest normal number."""

    stored: str
    mask: int
    finite: int
    nan: int
    normal: int


_LAYOUTS: Final = {
    "f64": _Layout(
        "<u8",
        0x7FFFFFFFFFFFFFFF,
        0x7FEFFFFFFFFFFFFF,
        0x7FF0000000000001,
        0x0010000000000000,
    ),
    "f32": _Layout("<u4", 0x7FFFFFFF, 0x7F7FFFFF, 0x7F800001, 0x00800000),
    "f16": _Layout("<u2", 0x7FFF, 0x7BFF, 0x7C01, 0),
    "bf16": _Layout("<u2", 0x7FFF, 0x7F7F, 0x7F81, 0),
    "f8e4m3": _Layout("<u1", 0x7F, 0x7E, 0x7F, 0),
    "f8e5m2": _Layout("<u1", 0x7F, 0x7B, 0x7D, 0),
    "f8e8m0": _Layout("<u1", 0xFF, 0xFE, 0xFF, 0),
}
"""The layouts by element type. A ``normal`` of 0 disables the search for subnormals."""

_FLOATS: Final = {"<u8": "<f8", "<u4": "<f4"}


@once
def readable(context: Context) -> list[Constant]:
    """Return the constants whose bytes exist and do not overlap others, one for each range and element type.

    Empty constants are omitted, and those whose size in the file is not that of their shape.
    """
    weights = context.document.weights
    if not weights.exists:
        return []
    total = len(weights.bytes)
    known = {(item.start, item.end, item.type): item for item in reversed(constants(context))}
    shared = {(item.start, item.end) for item in clashing(context)}
    distinct = (item for item in reversed(known.values()) if (item.start, item.end) not in shared)
    return [item for item in distinct if item.end <= total and item.op.shape.size.lo > 0 and _is_whole(item)]


def _is_whole(item: Constant) -> bool:
    """Return whether a constant has the size of its shape; the size of strings does not follow from it."""
    kind = item.op.element_type
    return kind.kind == "string" or item.end - item.start == storage_size(kind.name, item.op.shape.size.lo)


@once
def floats(context: Context) -> Sequence[tuple[Constant, UnusualNumbers]]:
    """Return the constants with a NaN, an infinity, a subnormal, or a number beyond the range of f16.

    Adjacent constants of one type are examined together first.
    """
    data = context.document.weights
    found: list[tuple[Constant, UnusualNumbers]] = []
    for group in _adjacent(item for item in readable(context) if item.type in _LAYOUTS):
        layout = _LAYOUTS[group[0].type]
        if not _ordinary(_count(data.bytes[group[0].start : group[-1].end], layout)):
            counted = ((item, _count(data.bytes[item.start : item.end], layout)) for item in group)
            found += (pair for pair in counted if not _ordinary(pair[1]))
    return sorted(found, key=lambda pair: pair[0].layer.element)


def vanishing(context: Context) -> Iterator[tuple[Constant, float]]:
    """Yield the small f32 and f64 constants without a normal number of f16, each with its largest magnitude.

    A weight tensor may have small elements; a constant of small ones only, such as an epsilon, is meant.
    """
    data = context.document.weights
    for item in sorted(readable(context), key=lambda item: item.layer.element):
        kind = {"f64": "<f8", "f32": "<f4"}.get(item.type)
        if kind is not None and item.op.shape.size.lo <= MOST_MEANT:
            values = np.abs(data.bytes[item.start : item.end].view(kind))
            largest = float(np.max(values, initial=0.0))
            if 0 < largest < LEAST_HALF:
                yield item, largest


def first(weights: Weights, constant: Constant, kind: str) -> tuple[int, ...]:
    """Return the index of the first element that is ``nan`` or ``infinite``."""
    layout = _LAYOUTS[constant.type]
    stored = weights.bytes[constant.start : constant.end].view(layout.stored)
    for at in range(0, stored.size, BLOCK):
        codes = stored[at : at + BLOCK] & layout.mask
        hits = np.flatnonzero(codes >= layout.nan if kind == "nan" else (codes > layout.finite) & (codes < layout.nan))
        if hits.size:
            return tuple(int(index) for index in np.unravel_index(at + hits[0], constant.op.shape.static))
    raise ValueError(f"no element is {kind}")


def beyond(context: Context, type: str, low: int, high: int) -> Iterator[tuple[Constant, int]]:
    """Yield the constants of a 64-bit integer type with a number outside [low, high], each with one such number."""
    data = context.document.weights
    for group in _adjacent(item for item in readable(context) if item.type == type):
        if _outside(data, group[0].start, group[-1].end, type, low, high) is not None:
            for item in group:
                number = _outside(data, item.start, item.end, type, low, high)
                if number is not None:
                    yield item, number


def _outside(data: Weights, start: int, end: int, type: str, low: int, high: int) -> int | None:
    values = data.bytes[start:end].view({"i64": "<i8", "u64": "<u8"}[type])
    least, most = int(values.min()), int(values.max())
    return most if most > high else least if least < low else None


def _ordinary(counted: UnusualNumbers) -> bool:
    return counted.nan == counted.infinite == counted.subnormal == 0 and counted.largest <= 65504


def _adjacent(found: Iterable[Constant]) -> Iterator[list[Constant]]:
    """Group constants of one type that are adjacent in the file."""
    group: list[Constant] = []
    for item in sorted(found, key=_place):
        if group and (group[0].type != item.type or group[-1].end != item.start):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _place(item: Constant) -> tuple[str, int, int]:
    return item.type, item.start, item.end


def _count(raw: Array, layout: _Layout) -> UnusualNumbers:
    stored = raw.view(layout.stored)
    nan = infinite = subnormal = largest = 0
    for at in range(0, stored.size, BLOCK):
        codes = stored[at : at + BLOCK] & layout.mask
        most = int(codes.max())
        if most > layout.finite:
            wild = int(np.count_nonzero(codes > layout.finite))
            not_numbers = int(np.count_nonzero(codes >= layout.nan))
            nan, infinite = nan + not_numbers, infinite + wild - not_numbers
            most = int(codes[codes <= layout.finite].max(initial=0))
        largest = max(largest, most)
        if layout.normal:
            subnormal += int(np.count_nonzero(codes - codes.dtype.type(1) < layout.normal - 1))
    return UnusualNumbers(nan, infinite, subnormal, _magnitude(largest, layout))


def _magnitude(code: int, layout: _Layout) -> float:
    """Return the number with a code; 0 for types that never exceed f16."""
    kind: Any = _FLOATS.get(layout.stored)
    return 0.0 if kind is None else float(np.array([code], layout.stored).view(kind)[0])
