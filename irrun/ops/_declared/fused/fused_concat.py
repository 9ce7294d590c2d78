from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.layout import axes_in_memory
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedConcat")
class FusedConcat(Fused):
    """Concatenation along an axis.

    With ``room``, the result is the first part of a buffer with that many elements along the axis. An operation that
    ``grows`` appends to the buffer of its first input, the result of another with the same room, and returns the longer
    part of the same memory; readers of the shorter part see no change.
    """

    reads_slices = True

    axis: int
    room: int | None = None
    grows: bool = False

    def run(self, *inputs: Array) -> Array:
        first = inputs[0]
        sizes = list(first.shape)
        sizes[self.axis] = sum(x.shape[self.axis] for x in inputs)
        order = axes_in_memory(first)
        before = (slice(None),) * self.axis
        if self.grows:
            out = as_strided(first, sizes, first.strides)
            np.concatenate(inputs[1:], axis=self.axis, out=out[(*before, slice(first.shape[self.axis], None))])
            return out
        lengths = list(sizes)
        if self.room is not None:
            lengths[self.axis] = self.room
        laid = np.empty([lengths[axis] for axis in order], first.dtype)
        out = laid.transpose(np.argsort(order))[(*before, slice(sizes[self.axis]))]
        np.concatenate(inputs, axis=self.axis, out=out)
        return out
