"""The random source and the registry of the generators of random cases.

A generator avoids the departures of the native plugin that an operation declares, and uses that the specification
leaves undefined. The expected outputs of a case are placeholders; only their number counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irrun.tensor import ElementType
from irrun.tensor.rounding import round_to
from tests.cases import Case

Array = npt.NDArray[Any]
Arg = tuple[Array, str]

FLOATS: Final = ("f32", "f32", "f32", "f16", "bf16", "f64")
SIGNED: Final = ("i32", "i32", "i64", "i16", "i8")
UNSIGNED: Final = ("u8", "u16", "u32", "u64")
WIDE: Final = ("i32", "i64")
SPECIAL: Final = (0.0, -0.0, np.inf, -np.inf, np.nan)
TYPES: Final = (*FLOATS, *SIGNED, "u8", "u16", "u32", "boolean")
"""The types of tensors whose elements are only moved."""
TOLERANCE: Final = {"f16": 4e-3, "bf16": 3e-2}
ABSOLUTE: Final = {"f16": 2e-3, "bf16": 2e-2}


class Random:
    """Draws shapes, types and values. Values of f64 are finite, because the plugin computes f64 as f32."""

    def __init__(self, seed: int) -> None:
        self.source = np.random.default_rng(seed)

    def chance(self, probability: float) -> bool:
        return bool(self.source.random() < probability)

    def pick(self, options: Sequence[Any]) -> Any:
        return options[int(self.source.integers(len(options)))]

    def int(self, low: int, high: int) -> int:
        """Draw an integer; both bounds are included."""
        return int(self.source.integers(low, high + 1))

    def ints(self, count: int, low: int, high: int) -> tuple[int, ...]:
        return tuple(self.int(low, high) for _ in range(count))

    def number(self, low: float, high: float) -> float:
        return round(float(self.source.uniform(low, high)), 3)

    def shape(self, least: int = 0, most: int = 5) -> tuple[int, ...]:
        """Draw a shape in which sizes of 1 are frequent and sizes of 0 are rare."""
        sizes = [self.pick((1, 2, 3, 4, 5, 7)) for _ in range(self.int(least, most))]
        if sizes and self.chance(0.03):
            sizes[self.int(0, len(sizes) - 1)] = 0
        return tuple(sizes)

    def broadcastable(self, shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Draw two shapes that NumPy broadcasts to ``shape``; one of them has its rank."""
        full = tuple(1 if self.chance(0.15) else size for size in shape)
        other = tuple(1 if self.chance(0.25) else size for size in shape)[self.int(0, len(shape)) :]
        return (full, other) if self.chance(0.6) else (other, full)

    def array(
        self, type: str, shape: Sequence[int], low: float = -4, high: float = 4, special: Sequence[float] = ()
    ) -> Arg:
        """Draw values between two bounds, rounded to the type; some floats are values of ``special``."""
        kind = ElementType.named(type)
        if type == "boolean":
            return np.asarray(self.source.integers(0, 2, shape), np.bool_), type
        if kind.is_integer:
            least = max(int(np.ceil(low)), 0) if kind.kind == "uint" else int(np.ceil(low))
            return np.asarray(self.source.integers(least, int(high) + 1, shape), kind.dtype), type
        values = np.asarray(self.source.uniform(low, high, shape))
        if type == "f64":
            special = [value for value in special if abs(value) < 1]
        if len(special) and self.chance(0.3):
            values = np.where(self.source.random(shape) < 0.2, self.source.choice(special, shape), values)
        single = np.asarray(values, kind.dtype)
        return (round_to(single, type) if type in ("f16", "bf16") else single), type

    def axes(self, rank: int, *, least: int = 0) -> Array:
        """Draw distinct axes of a tensor in any order; some are negative."""
        count = self.int(min(least, rank), rank)
        chosen = self.source.permutation(rank)[:count]
        return np.asarray([axis - rank if self.chance(0.3) else axis for axis in chosen.tolist()], np.int64)


def case(
    type: str,
    opset: int,
    args: Sequence[Arg],
    attributes: dict[str, Any] | None = None,
    *,
    constant: Sequence[int] = (),
    outputs: int = 1,
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> Case:
    """Return a case whose tolerance is at least that of its narrowest type."""
    named = {index: kind for index, (_, kind) in enumerate(args) if kind in TOLERANCE}
    tolerance = max([rtol, *(TOLERANCE[kind] for kind in named.values())])
    return Case(
        type,
        opset,
        [array for array, _ in args],
        [np.zeros(())] * outputs,
        attributes or {},
        types=named,
        constant=tuple(constant),
        rtol=tolerance,
        atol=max([atol, *(ABSOLUTE[kind] for kind in named.values())]),
    )


def data_of(random: Random, shape: Sequence[int], types: Sequence[str] = TYPES) -> Arg:
    """Draw values of one of the types."""
    return random.array(random.pick(types), shape, -9, 9)


def index(random: Random, values: Any, *, single: bool = False) -> Arg:
    """Return integers as i32 or i64; with ``single`` one number, as a scalar or in a list."""
    array = np.asarray(values, random.pick((np.int32, np.int64)))
    if single and random.chance(0.3):
        array = array.reshape(1)
    return array, array.dtype.name


def constants(random: Random, first: int, count: int) -> tuple[int, ...]:
    """Return all inputs from ``first`` on, or none of them."""
    return tuple(range(first, count)) if random.chance(0.5) else ()


def one_axis(random: Random, rank: int) -> int:
    """Draw an axis, counted from the front or from the end."""
    return random.int(-rank, rank - 1)


Generator = Callable[[Random], Case]
GENERATORS: dict[str, Generator] = {}


def generator(name: str) -> Callable[[Generator], Generator]:
    """Register a generator under ``type-opset``."""

    def keep(function: Generator) -> Generator:
        GENERATORS[name] = function
        return function

    return keep
