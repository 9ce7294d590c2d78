from __future__ import annotations

from typing import Literal

from irrun.kernels.normalization import mean_variance
from irrun.ops import Array, ElementType, Fact, In, Op, OpError, Out, attr, op
from irrun.ops.declaration import FLAGS_FLOATED
from irrun.ops.shapes import broadcasts_onto
from irrun.tensor.element_type import FLOAT


@op("RMS", opset="ie_internal_opset", page="rms")
class RMS(Op):
    """Divide by the root of the mean square along the last axis, then scale.

    Note: without the input scale nothing is scaled; in OpenVINO elementwise_affine determines whether it exists.
    """

    inputs = (
        In("data", FLOAT),
        In("scale", FLOAT, "factor, broadcast onto data", optional=True, also=FLAGS_FLOATED),
    )
    outputs = (Out("output", FLOAT, "of the type output_type"),)

    epsilon: float = attr(doc="added to the mean square", ge=0, openvino=0.0)
    output_type: Literal["undefined", "dynamic", "f16", "bf16", "f32", "f64"] = attr(
        "undefined", doc="type of the output; that of data where undefined or dynamic"
    )
    elementwise_affine: bool = attr(True, doc="whether there is a scale")

    def infer(self, data: Fact, scale: Fact | None) -> Fact:
        if data.rank == 0:
            raise OpError("data is a scalar, expected at least one axis", input=0)
        if scale is not None and not broadcasts_onto(scale.shape, data.shape):
            raise OpError(f"scale {scale.shape} does not broadcast to data {data.shape}", input=1)
        given = self.output_type not in ("undefined", "dynamic")
        return Fact(ElementType.named(self.output_type) if given else data.type, data.shape)

    def run(self, data: Array, scale: Array | None) -> Array:
        result = mean_variance(data, (-1,), self.epsilon, centred=False)
        if scale is not None:
            result *= scale.reshape(scale.shape[max(scale.ndim - data.ndim, 0) :])
        return result
