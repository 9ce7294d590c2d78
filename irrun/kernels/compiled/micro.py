"""The micro-kernel of all products: a tile of a result kept in vector registers, written as LLVM vectors.

One generator makes it for every instruction set: a vector has 16 lanes with AVX-512, 8 with AVX, 4 elsewhere, and a
tile as many rows as the registers hold. The rows of the left factor are given by their addresses, so that the same
code multiplies matrices and convolves images without copying windows; the right factor is packed in panels.
"""

from __future__ import annotations

from typing import Any, Final

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, types

from irrun.kernels.compiled.native import intrinsic


def _host() -> tuple[int, int]:
    """The lanes of a vector of f32, and the number of vector registers."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 16, 32
    if features.get("avx"):
        return 8, 16
    return 4, 32 if "arm64" in llvm.get_process_triple() or "aarch64" in llvm.get_process_triple() else 16


LANES, _REGISTERS = _host()

VECTORS: Final = 4 if _REGISTERS == 32 else 2
"""Vectors of a full panel of the right factor."""

ROWS: Final = {width: (_REGISTERS - 8) // width if _REGISTERS == 32 else 12 // width for width in range(1, VECTORS + 1)}
"""Rows of a tile, for each number of vectors in a panel."""
if _REGISTERS == 32:
    ROWS[1] = 12

PANEL: Final = LANES * VECTORS
"""Columns of a full panel."""


VARIANTS: Final = (
    *((rows, width) for most, rows in ROWS.items() for width in range(1, most + 1) if most > 1 or rows != ROWS[2]),
    *((1, width) for width in range(1, VECTORS + 1)),
)
"""The rows and vectors of all tiles that there are."""


@intrinsic
def multiply_tile(
    typingctx: Any,
    rows: Any,
    vectors: Any,
    taps: Any,
    depth: Any,
    left: Any,
    panel: Any,
    step: Any,
    bias: Any,
    out: Any,
    summand: Any,
    columns: Any,
    ahead: Any,
    ahead_step: Any,
    low: Any,
    high: Any,
) -> Any:
    """Compute a tile of a result, clipped to the bounds ``low`` and ``high``.

    ``rows`` and ``vectors`` are one of `VARIANTS`. ``left`` is the address of the addresses of the rows of the left
    factor [taps, rows], each of ``depth`` f32; ``panel`` that of the right factor [taps * depth, vectors], ``step`` the
    bytes between its rows. ``bias`` is the address of what is added to each row, or 0. ``out`` and ``summand`` are the
    addresses of the addresses of the rows of the result and of what is added to them, or 0. The result has so many
    ``columns``, which may be fewer than the last vector holds. Meanwhile memory from the address ``ahead`` on is
    fetched into the second cache, so many bytes for each row of the panel.
    """

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        for variant in VARIANTS:
            matches = (
                builder.icmp_signed("==", given, ir.Constant(given.type, wanted))
                for given, wanted in zip(args, variant, strict=False)
            )
            with builder.if_then(builder.and_(*matches)):
                _Tile(builder, *variant).build(*args[2:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 13, types.float32, types.float32), build


class _Tile:
    def __init__(self, builder: Any, rows: int, vectors: int) -> None:
        self.builder = builder
        self.rows = rows
        self.vectors = vectors
        self.float = ir.FloatType()
        self.long = ir.IntType(64)
        self.vector = ir.VectorType(self.float, LANES)
        self.mask_type = ir.VectorType(ir.IntType(1), LANES)

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        return cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(result, arguments), name)

    def constant(self, value: int) -> Any:
        return ir.Constant(self.long, value)

    def at(self, address: Any, offset: int, type: Any) -> Any:
        moved = self.builder.add(address, self.constant(offset)) if offset else address
        return self.builder.inttoptr(moved, type.as_pointer())

    def load(self, address: Any, offset: int = 0, type: Any = None) -> Any:
        type = self.vector if type is None else type
        return self.builder.load(self.at(address, offset, type), align=8 if type is self.long else 4)

    def splat(self, value: Any) -> Any:
        undefined = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, undefined, zeros)

    def build(
        self,
        taps: Any,
        depth: Any,
        left: Any,
        panel: Any,
        step: Any,
        bias: Any,
        out: Any,
        summand: Any,
        columns: Any,
        ahead: Any,
        ahead_step: Any,
        low: Any,
        high: Any,
    ) -> None:
        builder, rows, vectors = self.builder, self.rows, self.vectors
        bytes_ = 4 * LANES
        mask = self._mask(columns)
        sums = [[cgutils.alloca_once(builder, self.vector) for _ in range(vectors)] for _ in range(rows)]
        zero = ir.Constant(self.vector, [0.0] * LANES)
        starts = [cgutils.alloca_once_value(builder, zero) for _ in range(vectors)]
        with builder.if_then(builder.icmp_signed("!=", bias, self.constant(0))):
            for j in range(vectors):
                builder.store(self._load_part(bias, j, mask), starts[j])
        for i in range(rows):
            for j in range(vectors):
                builder.store(builder.load(starts[j]), sums[i][j])
        with builder.if_then(builder.icmp_signed("!=", summand, self.constant(0))):
            for i in range(rows):
                row = self.load(summand, 8 * i, self.long)
                for j in range(vectors):
                    added = builder.fadd(builder.load(sums[i][j]), self._load_part(row, j, mask))
                    builder.store(added, sums[i][j])
        fma = self.function(f"llvm.fma.v{LANES}f32", self.vector, *[self.vector] * 3)
        place = cgutils.alloca_once_value(builder, panel)
        fetched = cgutils.alloca_once_value(builder, ahead)
        word, byte = ir.IntType(32), ir.IntType(8)
        prefetch = self.function("llvm.prefetch.p0i8", ir.VoidType(), byte.as_pointer(), word, word, word)
        hints = [ir.Constant(word, value) for value in (0, 2, 1)]
        with cgutils.for_range(builder, taps, intp=self.long) as outer:
            begin = builder.add(left, builder.mul(outer.index, self.constant(8 * rows)))
            addresses = [self.load(begin, 8 * i, self.long) for i in range(rows)]
            with cgutils.for_range(builder, depth, intp=self.long) as inner:
                here = builder.load(place)
                right = [self.load(here, bytes_ * j) for j in range(vectors)]
                builder.store(builder.add(here, step), place)
                next_one = builder.load(fetched)
                builder.call(prefetch, [builder.inttoptr(next_one, byte.as_pointer()), *hints])
                builder.store(builder.add(next_one, ahead_step), fetched)
                for i in range(rows):
                    pointer = builder.gep(builder.inttoptr(addresses[i], self.float.as_pointer()), [inner.index])
                    value = self.splat(builder.load(pointer))
                    for j in range(vectors):
                        total = builder.call(fma, [value, right[j], builder.load(sums[i][j])])
                        builder.store(total, sums[i][j])
        least, most = self.splat(low), self.splat(high)
        for i in range(rows):
            row = self.load(out, 8 * i, self.long)
            for j in range(vectors):
                value = builder.load(sums[i][j])
                value = builder.select(builder.fcmp_ordered("<", value, least), least, value)
                value = builder.select(builder.fcmp_ordered(">", value, most), most, value)
                self._store_part(value, row, j, mask)

    def _mask(self, columns: Any) -> Any:
        """The lanes of the last vector that are columns of the result."""
        builder = self.builder
        left = builder.sub(columns, self.constant(LANES * (self.vectors - 1)))
        narrow = builder.trunc(left, ir.IntType(32))
        type = ir.VectorType(ir.IntType(32), LANES)
        undefined = ir.Constant(type, ir.Undefined)
        first = builder.insert_element(undefined, narrow, ir.Constant(ir.IntType(32), 0))
        spread = builder.shuffle_vector(first, undefined, ir.Constant(type, [0] * LANES))
        return builder.icmp_signed("<", ir.Constant(type, list(range(LANES))), spread)

    def _load_part(self, address: Any, j: int, mask: Any) -> Any:
        if j < self.vectors - 1:
            return self.load(address, 4 * LANES * j)
        name = f"llvm.masked.load.v{LANES}f32.p0v{LANES}f32"
        load = self.function(name, self.vector, self.vector.as_pointer(), ir.IntType(32), self.mask_type, self.vector)
        zero = ir.Constant(self.vector, [0.0] * LANES)
        place = self.at(address, 4 * LANES * j, self.vector)
        return self.builder.call(load, [place, ir.Constant(ir.IntType(32), 4), mask, zero])

    def _store_part(self, value: Any, address: Any, j: int, mask: Any) -> None:
        place = self.at(address, 4 * LANES * j, self.vector)
        if j < self.vectors - 1:
            self.builder.store(value, place, align=4)
            return
        name = f"llvm.masked.store.v{LANES}f32.p0v{LANES}f32"
        void = ir.VoidType()
        store = self.function(name, void, self.vector, self.vector.as_pointer(), ir.IntType(32), self.mask_type)
        self.builder.call(store, [value, place, ir.Constant(ir.IntType(32), 4), mask])
