from __future__ import annotations

from irrun.kernels.gather import gather
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused
from irrun.ops._declared.infrastructure.read_value import ReadValue3, ReadValue6
from irrun.ops.context import Variables


@fused("FusedAppend")
class FusedAppend(Fused):
    """Append ``new`` to the value of a variable along an axis, in memory with room for more.

    Inputs are ``new``, the initial value of the variable, or None, and the ``order`` in which to read its first axis.
    What was read before stays as it is. The variable is not written: that is for an Assign.
    """

    read: ReadValue3 | ReadValue6
    axis: int
    from_end: bool

    def extended(self, shape: tuple[int, ...], init: Array | None, order: Array | None, state: Variables) -> Array:
        """The result for ``new`` of such a shape, before that is written to it."""
        past = self.read.run(init, state=state)  # type: ignore[arg-type]
        past = past.astype(self.fact.type.dtype, copy=False)
        if order is not None and order.tolist() != list(range(len(past))):
            past = gather(past, order, 0, 0, from_end=self.from_end)
        return state.extend(self.read.variable_id, past, shape, self.axis)

    def run(self, new: Array, init: Array | None = None, order: Array | None = None, *, state: Variables) -> Array:
        result = self.extended(new.shape, init, order, state)
        result[(slice(None),) * self.axis + (slice(result.shape[self.axis] - new.shape[self.axis], None),)] = new
        return result
