"""The theme of a graph: its size, the types it prefers, the operations it uses, how much of its shapes is told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from irrun.tensor import ElementType
from irrun.tensor.element_type import BOOLEAN, STRING
from tests.ops.random_draws import Random

RUNNABLE: Final = frozenset(
    {
        *(ElementType.named(name) for name in ("f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64")),
        *(ElementType.named(name) for name in ("u8", "u16", "u32", "u64")),
        *(BOOLEAN, STRING),
    }
)
"""The types of tensors; the others are types of constants."""

_FLOATS: Final = ("f32",) * 14 + ("f16", "f16", "f16", "bf16", "f64")
_INTEGERS: Final = ("i32", "i64") * 6 + ("u8", "i8") * 2 + ("i16", "u16", "u32", "u64")


@dataclass(frozen=True, slots=True)
class Theme:
    """A graph of a theme uses few operations often, which is how they come to meet each other (swarm testing)."""

    layers: int
    types: Sequence[ElementType]
    operations: Sequence[str]
    dynamic: float
    """The probability that a size of a Parameter is dynamic."""
    constant: float
    """The probability that a new tensor is a constant."""
    motifs: float
    """The probability that a step adds layers that belong together."""
    bodies: float
    """The probability that a step adds a layer with sub-graphs."""
    states: bool

    def type(self, draw: Random, among: Collection[ElementType]) -> ElementType | None:
        """A type that the theme prefers, or any other that is allowed and can be run."""
        preferred = [type for type in self.types if type in among]
        others = sorted(RUNNABLE & set(among), key=str)
        return draw.pick(preferred) if preferred else draw.pick(others) if others else None


def draw_theme(draw: Random, names: Sequence[str]) -> Theme:
    """A theme; ``names`` are the recipes that there are."""
    main = draw.pick(_FLOATS)
    floats = [main] * 8 + ([draw.pick(_FLOATS)] if draw.chance(0.2) else [])
    others = [draw.pick(_INTEGERS) for _ in range(3)] + ["boolean"] + (["string"] if draw.chance(0.1) else [])
    chosen = [name for name in names if draw.chance(0.3)] if draw.chance(0.7) else names
    return Theme(
        layers=draw.int(5, 30) if draw.chance(0.8) else draw.int(2, 8),
        types=[ElementType.named(name) for name in (*floats, *others)],
        operations=chosen,
        dynamic=draw.pick((0, 0, 0.2, 0.5, 1)),
        constant=draw.pick((0.1, 0.3, 0.6)),
        motifs=draw.pick((0, 0.1, 0.4)),
        bodies=draw.pick((0, 0, 0.05, 0.15)),
        states=draw.chance(0.12),
    )
