"""Tiles of AMX: eight registers of 16 rows, each of 64 bytes, that only whole matrices go into.

A product of tiles is emitted in terms of few operations: zero a tile, load it, store it, and add the product of two
others to it. `TileOperations` emits instructions for them. `TilesInMemory` computes the same bits in memory, so that
products on tiles can be tested on other processors.
"""

from __future__ import annotations

from typing import Any, Final

from irrun_kernels import ir
from irrun_kernels.host import LEVEL
from irrun_kernels.vectors import Vectors

ROWS: Final = 16
"""Rows of a tile, and words in each."""

_COUNT: Final = 8
_ROW: Final = 64
_TILE: Final = ROWS * _ROW


class TileOperations:
    """Emits operations on tiles, which are numbered from 0. ``step`` is the distance of rows in memory, in bytes."""

    def __init__(self, v: Vectors) -> None:
        self._v = v

    def configure(self) -> None:
        """Give all tiles of this thread their full size."""
        place = self._v.scratch(_ROW)
        sizes = bytearray(_ROW)
        sizes[0] = 1
        sizes[16 : 16 + 2 * _COUNT] = _ROW.to_bytes(2, "little") * _COUNT
        sizes[48 : 48 + _COUNT] = bytes([ROWS] * _COUNT)
        type = ir.ArrayType(self._v.byte, _ROW)
        self._v.builder.store(ir.Constant(type, sizes), self._v.pointer(place, 0, type))
        self._call("ldtilecfg", self._v.pointer(place, 0, self._v.byte))

    def release(self) -> None:
        """Leave the thread without tiles, as it was."""
        self._call("tilerelease")

    def zero(self, tile: int) -> None:
        self._call("tilezero", tile)

    def load(self, tile: int, address: Any, step: Any) -> None:
        self._call("tileloadd64", tile, self._v.pointer(address, 0, self._v.byte), step)

    def store(self, tile: int, address: Any, step: Any) -> None:
        self._call("tilestored64", tile, self._v.pointer(address, 0, self._v.byte), step)

    def multiply_bf16(self, total: int, a: int, b: int) -> None:
        """Add products of pairs of bf16 to f32: those of even and of odd numbers are added up apart from each other.

        Sums are rounded to nearest even, and numbers below 2**-126 are zeros.
        """
        self._call("tdpbf16ps", total, a, b)

    def multiply_bytes(self, total: int, a: int, b: int) -> None:
        """Add products of four bytes without sign and four with sign to words."""
        self._call("tdpbusd", total, a, b)

    def _call(self, name: str, *arguments: Any) -> None:
        values = [ir.Constant(self._v.byte, one) if isinstance(one, int) else one for one in arguments]
        self._v.call(f"llvm.x86.{name}", ir.VoidType(), *values)


class TilesInMemory(TileOperations):
    """Emits loops over memory that do what the instructions do."""

    def __init__(self, v: Vectors) -> None:
        super().__init__(v)
        self._start = v.scratch(_COUNT * _TILE)
        self._step = v.constant(_ROW)

    def configure(self) -> None:
        pass

    def release(self) -> None:
        pass

    def zero(self, tile: int) -> None:
        with self._v.times(self._v.constant(ROWS)) as row:
            self._v.store(self._v.every(0.0), self._row(tile, row))

    def load(self, tile: int, address: Any, step: Any) -> None:
        self._copy(address, step, self._row(tile), self._step)

    def store(self, tile: int, address: Any, step: Any) -> None:
        self._copy(self._row(tile), self._step, address, step)

    def multiply_bf16(self, total: int, a: int, b: int) -> None:
        v, builder = self._v, self._v.builder
        with v.times(v.constant(ROWS)) as row:
            even, odd = v.variable(v.every(0.0)), v.variable(v.every(0.0))
            with v.times(v.constant(ROWS)) as column:
                left, right = self._factors(a, b, row, column)
                for sum, halves in ((even, v.lower_halves), (odd, v.upper_halves)):
                    factors = v.flushed(halves(left)), v.flushed(halves(right))
                    builder.store(v.flushed(v.multiply_add(*factors, builder.load(sum))), sum)
            both = v.flushed(builder.fadd(builder.load(even), builder.load(odd)))
            place = self._row(total, row)
            v.store(v.flushed(builder.fadd(v.flushed(v.load(place)), both)), place)

    def multiply_bytes(self, total: int, a: int, b: int) -> None:
        v = self._v
        with v.times(v.constant(ROWS)) as row:
            place = self._row(total, row)
            with v.times(v.constant(ROWS)) as column:
                factors = self._factors(a, b, row, column)
                v.store(v.multiply_bytes(*factors, v.load(place, type=v.words)), place)

    def _factors(self, a: int, b: int, row: Any, column: Any) -> tuple[Any, Any]:
        """Return a word of a row in all lanes, and the row of the other tile that meets it."""
        v = self._v
        place = v.beyond(self._row(a, row), column, 4)
        word = v.builder.load(v.pointer(place, 0, v.word))
        return v.spread(word, v.words), v.load(self._row(b, column), type=v.words)

    def _row(self, tile: int, row: Any = None) -> Any:
        start = self._v.builder.add(self._start, self._v.constant(_TILE * tile))
        return start if row is None else self._v.beyond(start, row, _ROW)

    def _copy(self, x: Any, x_step: Any, out: Any, out_step: Any) -> None:
        v = self._v
        with v.times(v.constant(ROWS)) as row:
            v.store(v.load(v.beyond(x, row, x_step)), v.beyond(out, row, out_step))


def tiles(v: Vectors) -> TileOperations:
    """The tiles of the processor that code is emitted for."""
    return TilesInMemory(v) if LEVEL.tiles == "memory" else TileOperations(v)
