"""Levels of processors: for each of them there is a library of all kernels."""

from __future__ import annotations

from typing import Final, NamedTuple

_V3: Final = "avx avx2 bmi bmi2 f16c fma lzcnt movbe popcnt"
_V4: Final = f"{_V3} avx512f avx512bw avx512cd avx512dq avx512vl"
_BF16: Final = f"{_V4} avx512vnni avx512bf16"


class Level(NamedTuple):
    """A level of processors: its ``machine``, and the ``features`` that all kernels may use, in LLVM's names.

    ``model`` is LLVM's name of a processor with no more than these. Vectors have ``lanes`` f32; there are so many
    ``registers`` of them. ``tiles`` are those of AMX: in ``registers``, or in ``memory``, which is for tests.
    """

    name: str
    machine: str
    features: str
    model: str
    lanes: int
    registers: int
    tiles: str = ""

    @property
    def has(self) -> frozenset[str]:
        """The names of the features."""
        return frozenset(self.features.split())

    @property
    def has_masks(self) -> bool:
        """Return whether a masked load or store takes no more time than another."""
        return "avx512f" in self.has

    @property
    def is_for_tests(self) -> bool:
        """Return whether no processor is given this level, unless it is asked for."""
        return self.tiles == "memory"


LEVELS: Final = (
    Level("x86-64-amx", "x86_64", f"{_BF16} amx-tile amx-bf16 amx-int8", "x86-64-v4", 16, 32, "registers"),
    Level("x86-64-bf16", "x86_64", _BF16, "x86-64-v4", 16, 32),
    Level("x86-64-vnni", "x86_64", f"{_V4} avx512vnni", "x86-64-v4", 16, 32),
    Level("x86-64-v4", "x86_64", _V4, "x86-64-v4", 16, 32),
    Level("x86-64-v3-vnni", "x86_64", f"{_V3} avxvnni", "x86-64-v3", 8, 16),
    Level("x86-64-v3", "x86_64", _V3, "x86-64-v3", 8, 16),
    Level("arm64-bf16", "arm64", "neon dotprod i8mm bf16", "generic", 4, 32),
    Level("arm64-dotprod", "arm64", "neon dotprod", "generic", 4, 32),
    Level("arm64-neon", "arm64", "neon", "generic", 4, 32),
    Level("x86-64-memory", "x86_64", _V3, "x86-64-v3", 16, 16, "memory"),
)
"""For each machine, the best one first."""

built_for: list[Level] = []
"""The level that kernels are compiled for in this process, while they are compiled."""
