from __future__ import annotations

import numpy as np

from irrun.kernels.gather import located
from irrun.kernels.lookup import Lookup, Nibbles
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedPackedGather")
class FusedPackedGather(Fused):
    """Rows of packed weights, decompressed after selection: (stored - zero) * scale in the shape ``row``.

    ``zero`` and ``scale`` broadcast to ``stored``. The input is the indices; with ``from_end`` negative ones count from
    the end.
    """

    stored: Array | Nibbles | Lookup
    zero: Array | None
    scale: Array | None
    row: tuple[int, ...]
    from_end: bool

    def verify(self) -> None:
        self.zero, self.scale = (None if x is None else _for_each_row(x, self.stored) for x in (self.zero, self.scale))

    def run(self, indices: Array) -> Array:
        index, outside = located(indices, len(self.stored), from_end=self.from_end)
        value = self.stored[index].astype(np.float32)
        if self.zero is not None:
            value -= self.zero[index]
        if self.scale is not None:
            value *= self.scale[index]
        value[outside] = 0
        return value.reshape(*indices.shape, *self.row)


def _for_each_row(side: Array, stored: Array | Nibbles | Lookup) -> Array:
    """Broadcast a scale or a zero point to the number of rows of ``stored``."""
    aligned = side.reshape((1,) * (len(stored.shape) - side.ndim) + side.shape)
    return np.ascontiguousarray(np.broadcast_to(aligned, (len(stored), *aligned.shape[1:])))
