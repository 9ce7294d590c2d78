"""All generators of random cases, by the operation that they use."""

from __future__ import annotations

import zlib
from typing import Final

from tests.cases import Case
from tests.ops import random_elementwise, random_tensors, random_windows
from tests.ops.random_draws import GENERATORS, Random

FAMILIES: Final = (random_elementwise, random_tensors, random_windows)


def draw(name: str, seed: int) -> Case:
    """The case of a generator for a seed, always the same."""
    return GENERATORS[name](Random(zlib.crc32(name.encode()) + seed))


def names() -> list[str]:
    """The generators, each called like the operation that it uses."""
    return sorted(GENERATORS)
