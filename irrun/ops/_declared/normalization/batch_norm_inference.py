from __future__ import annotations

from irrun.kernels.normalization import batch
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import merge_dims, with_axis
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("BatchNormInference", opset=1)
class BatchNormInferenceV1(Op):
    """Normalize each channel by a given mean and variance, then scale and shift it.

    Note: in OpenVINO the inputs of this version are in the order gamma, beta, data, mean, variance; on the page data is
    first. Both are accepted: data is the one of the first three with two axes or more.
    """

    departures = {"order": "expects data as the third input"}
    workarounds = {"order": "BatchNormInference of opset5"}

    inputs = (
        In("gamma", T, "scale of each channel"),
        In("beta", T, "shift of each channel"),
        In("data", T, "[batch, channels, ...]"),
        In("mean", T, "mean of each channel", rank=1),
        In("variance", T, "variance of each channel", rank=1),
    )
    outputs = (Out("output", T),)

    epsilon: float = attr(doc="added to the variance", ge=0, openvino=0.0)

    def infer(self, gamma: Fact, beta: Fact, data: Fact, mean: Fact, variance: Fact) -> Shape:
        if gamma.rank is None and data.rank is None and beta.rank is None:
            return Shape.unknown()
        if _data_first(gamma.rank, beta.rank, data.rank):
            gamma, beta, data = beta, data, gamma
        return _normalized(data, {"gamma": gamma, "beta": beta, "mean": mean, "variance": variance})

    def run(self, gamma: Array, beta: Array, data: Array, mean: Array, variance: Array) -> Array:
        if _data_first(gamma.ndim, beta.ndim, data.ndim):
            gamma, beta, data = beta, data, gamma
        return batch(data, gamma, beta, mean, variance, self.epsilon)


@op("BatchNormInference", opset=5)
class BatchNormInferenceV5(Op):
    """Normalize each channel by a given mean and variance, then scale and shift it."""

    inputs = (
        In("data", T, "[batch, channels, ...]"),
        In("gamma", T, "scale of each channel", rank=1),
        In("beta", T, "shift of each channel", rank=1),
        In("mean", T, "mean of each channel", rank=1),
        In("variance", T, "variance of each channel", rank=1),
    )
    outputs = (Out("output", T),)

    epsilon: float = attr(doc="added to the variance", ge=0, openvino=0.0)

    def infer(self, data: Fact, gamma: Fact, beta: Fact, mean: Fact, variance: Fact) -> Shape:
        return _normalized(data, {"gamma": gamma, "beta": beta, "mean": mean, "variance": variance})

    def run(self, data: Array, gamma: Array, beta: Array, mean: Array, variance: Array) -> Array:
        return batch(data, gamma, beta, mean, variance, self.epsilon)


def _data_first(first: int | None, second: int | None, third: int | None) -> bool:
    """Return whether the inputs are in the order of the page: data, gamma, beta."""
    if first is not None:
        return first > 1
    return third == 1 or (third is None and second is not None)


def _normalized(data: Fact, parameters: dict[str, Fact]) -> Shape:
    """Return the shape of data, with the number of channels of every parameter."""
    channels = Dim()
    for name, fact in parameters.items():
        if fact.rank not in (None, 1):
            raise OpError(f"{name} has shape {fact.shape}, expected one axis")
        if fact.shape.dims is not None:
            channels = merge_dims(channels, fact.shape[0], f"the sizes of {name} and of the parameters before it")
    if data.shape.dims is None:
        return data.shape
    if len(data.shape) < 2:
        raise OpError(f"data has shape {data.shape}, expected at least two axes, the second being that of channels")
    return with_axis(data.shape, 1, merge_dims(data.shape[1], channels, "the channels of data and of the parameters"))
