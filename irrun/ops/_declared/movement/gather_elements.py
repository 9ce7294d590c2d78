from __future__ import annotations

from irrun.kernels.gather import gather_elements
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims, normalize_axis, with_axis
from irrun.tensor.element_type import ANY, I32, I64

T = TypeVar("T", ANY)


@op("GatherElements", opset=6)
class GatherElements(Op):
    """Gather an element for each index, from the index's own position except along one axis.

    Note: the page requires indices from 0 on; as in OpenVINO, negative ones count from the end.
    """

    inputs = (
        In("data", T, "a tensor of rank 1 or more"),
        In("indices", frozenset({I32, I64}), "the places along the axis, shaped like data except on it"),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    axis: int = attr(doc="the axis that the indices refer to", openvino=0)

    def infer(self, data: Fact, indices: Fact) -> Shape:
        for index, fact in enumerate((data, indices)):
            if fact.rank == 0:
                raise OpError(f"{('data', 'indices')[index]} is a scalar, expected rank 1 or more", input=index)
        if data.shape.dims is None:
            if indices.rank is not None:
                normalize_axis(self.axis, indices.rank)
            return indices.shape
        axis = normalize_axis(self.axis, len(data.shape))
        if indices.shape.dims is None:
            return with_axis(data.shape, axis, Dim())
        if len(indices.shape) != len(data.shape):
            raise OpError(f"indices have rank {len(indices.shape)}, expected {len(data.shape)} as data", input=1)
        pairs = enumerate(zip(data.shape, indices.shape, strict=True))
        return Shape(
            [b if i == axis else merge_dims(a, b, f"size {i} of data and indices", input=1) for i, (a, b) in pairs]
        )

    def run(self, data: Array, indices: Array) -> Array:
        try:
            return gather_elements(data, indices, normalize_axis(self.axis, data.ndim))
        except IndexError as error:
            raise OpError(str(error), input=1) from None
