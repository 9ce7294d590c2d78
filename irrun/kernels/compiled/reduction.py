"""Rows given by their addresses, reduced to one: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from typing import Any, Final

from numba.core import cgutils, types

from irrun.kernels.compiled.native import intrinsic
from irrun.kernels.compiled.vectors import BYTES, LANES, Vectors

_WIDTH: Final = 4
"""Vectors that are reduced at a time."""


def _reduction(start: float, combine: Any) -> Any:
    @intrinsic
    def reduce(typingctx: Any, rows: Any, addresses: Any, weights: Any, out: Any, count: Any) -> Any:
        """Reduce so many rows of ``count`` f32, at these addresses, to one; ``weights`` are [rows, count] or 0."""

        def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
            v = Vectors(builder)
            count = args[4]
            wide = builder.udiv(count, v.constant(LANES * _WIDTH))
            with v.times(wide) as loop:
                offset = builder.mul(loop.index, v.constant(BYTES * _WIDTH))
                _columns(v, start, combine, args, offset, [None] * _WIDTH)
            done = builder.mul(wide, v.constant(LANES * _WIDTH))
            rest = builder.sub(count, done)
            whole = builder.udiv(rest, v.constant(LANES))
            begin = builder.mul(done, v.constant(4))
            with v.times(whole) as loop:
                offset = builder.add(begin, builder.mul(loop.index, v.constant(BYTES)))
                _columns(v, start, combine, args, offset, [None])
            left = builder.sub(rest, builder.mul(whole, v.constant(LANES)))
            with builder.if_then(v.is_given(left)):
                offset = builder.add(begin, builder.mul(whole, v.constant(BYTES)))
                _columns(v, start, combine, args, offset, [v.mask(left)])
            return context.get_dummy_value()

        return types.void(*[types.int64] * 5), build

    return reduce


def _columns(v: Vectors, start: float, combine: Any, args: Any, offset: Any, masks: list[Any]) -> None:
    """Some vectors of all rows, ``offset`` bytes from their beginnings."""
    builder = v.builder
    rows, addresses, weights, out, count = args
    totals = [cgutils.alloca_once(builder, v.vector) for _ in masks]
    for total in totals:
        builder.store(v.every(start), total)
    place = cgutils.alloca_once(builder, v.long)
    builder.store(builder.add(weights, offset), place)
    with v.times(rows) as loop:
        address = v.load_long(builder.add(addresses, builder.mul(loop.index, v.constant(8))), 0)
        row, weight = builder.add(address, offset), builder.load(place)
        builder.store(builder.add(weight, builder.mul(count, v.constant(4))), place)
        for j, (total, mask) in enumerate(zip(totals, masks, strict=True)):
            builder.store(combine(v, v.load(row, j, mask), builder.load(total), weight, j, mask), total)
    for j, (total, mask) in enumerate(zip(totals, masks, strict=True)):
        v.store(builder.load(total), builder.add(out, offset), j, mask)


multiply_rows = _reduction(0.0, lambda v, x, total, weight, j, mask: v.multiply_add(x, v.load(weight, j, mask), total))
"""The sum of the rows, each multiplied element by element with its weights."""

add_rows = _reduction(0.0, lambda v, x, total, *_: v.builder.fadd(x, total))
"""The sum of the rows."""

raise_rows = _reduction(float("-inf"), lambda v, x, total, *_: v.largest(x, total))
"""The largest of each column; NaN counts as -inf."""
