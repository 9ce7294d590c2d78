"""All generators of random cases, by operation."""

from __future__ import annotations

import zlib
from typing import Final

from tests import cases
from tests.cases import Case
from tests.ops import (
    random_elementwise,
    random_gathers,
    random_selections,
    random_sequences,
    random_shapes,
    random_slices,
    random_tensors,
    random_windows,
)
from tests.ops.random_draws import GENERATORS, Random

FAMILIES: Final = (
    random_elementwise,
    random_gathers,
    random_selections,
    random_sequences,
    random_shapes,
    random_slices,
    random_tensors,
    random_windows,
)


def draw(name: str, seed: int) -> Case:
    """Return the case of a generator for a seed. The same seed returns the same case."""
    return GENERATORS[name](Random(zlib.crc32(name.encode()) + seed))


def names() -> list[str]:
    """Return the generators; each has the name of its operation. With ``--op``, those of the types that are wanted."""
    return sorted(name for name in GENERATORS if not cases.ONLY or name.rpartition("-")[0] in cases.ONLY)
