"""Rotary embeddings as a chain over both halves of rows at the same time."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.ops._declared.fused.fused_rotary import FusedRotary
from irrun.runtime.lowering.builder import Builder, lowers, require_f32
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.view import Operand, View

_SIGNS: Final = np.array([[-1.0], [1.0]], np.float32)


@lowers(FusedRotary)
def lower_rotary(_op: FusedRotary, builder: Builder, x: Operand, cos: Operand, sin: Operand) -> View:
    """A sum of products in one call."""
    require_f32(x, cos, sin)
    halves = [array.reshape(*array.shape[:-1], 2, array.shape[-1] // 2) for array in map(builder.view, (x, cos, sin))]
    e = Expression(builder)
    straight, cosine, sine = map(e.read, halves)
    turned = e("multiply", e.read(halves[0][..., ::-1, :]), e.read(_SIGNS))
    made = e.emit(e("add", e("multiply", straight, cosine), e("multiply", turned, sine)), x.dtype)
    return made.reshape(*made.shape[:-2], made.shape[-2] * made.shape[-1])
