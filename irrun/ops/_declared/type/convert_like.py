from __future__ import annotations

from irrun.kernels.casting import cast
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.type.convert import CLIPPED
from irrun.ops.departures import OF_RANK_1
from irrun.tensor.element_type import BOOLEAN, NUMERIC

T1 = TypeVar("T1", NUMERIC | {BOOLEAN})
T2 = TypeVar("T2", NUMERIC | {BOOLEAN})


@op("ConvertLike", opset=1)
class ConvertLike(Op):
    """Convert every element of data to the type of like, as Convert does."""

    departures = {"rank 7": CLIPPED}
    workarounds = {"rank 7": OF_RANK_1}

    inputs = (In("data", T1), In("like", T2, "a tensor of the target type; its values are not used"))
    outputs = (Out("output", T2),)

    def infer(self, data: Fact, like: Fact) -> Shape:
        return data.shape

    def run(self, data: Array, like: Array) -> Array:
        return cast(data, like.dtype)
