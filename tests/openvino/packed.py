"""Checks of tensors whose elements have less than a byte: their sizes in elements and in bytes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.graphs import F

TYPES = ("u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1")
SHAPES: tuple[list[int], ...] = ([], [0], [1], [3], [4], [5], [7], [8], [9], [2, 3], [16], [17], [5, 5])
RUNNABLE = ("u2", "u4", "i4", "nf4", "f4e2m1")
"""The types that OpenVINO's CPU plugin stores packed."""


def _sizes(tensor: Any) -> list[Any]:
    return [tensor.shape, tensor.size, tensor.byte_size, tensor.data.shape, str(tensor.data.dtype)]


def _empty(type: str) -> Check:
    return lambda ov: [_sizes(ov.Tensor(getattr(ov.Type, type), ov.Shape(shape))) for shape in SHAPES]


def _over_bytes(type: str) -> Check:
    """Return a check of tensors over arrays of bytes that are large enough, or larger."""

    def check(ov: Any) -> Any:
        found = []
        for shape in SHAPES:
            array = np.arange(3 * math.ceil(math.prod(shape) / 3) + 3, dtype=np.uint8)
            found.append(_sizes(ov.Tensor(array, ov.Shape(shape), getattr(ov.Type, type))))
        return found

    return check


def _constant(type: str) -> Check:
    def check(ov: Any) -> Any:
        node = ov.opset13.constant(np.arange(9) % 2, getattr(ov.Type, type))
        return [node.get_byte_size(), node.data, node.get_tensor_view().byte_size]

    return check


def _vector(type: str) -> Check:
    return lambda ov: ov.opset13.constant(np.arange(9) % 2, getattr(ov.Type, type)).get_vector()


def _output(type: str) -> Check:
    """Return a check of the tensor of a result, before and after an inference, and as a constant of a model."""

    def check(ov: Any) -> Any:
        x = ov.opset13.parameter([-1, 4, 3], F)
        request = ov.compile_model(
            ov.Model([ov.opset13.convert(x, getattr(ov.Type, type))], [x]), "CPU"
        ).create_infer_request()
        result = request.infer([np.arange(24, dtype=F).reshape(2, 4, 3) % 2])[0]
        tensor = request.get_output_tensor()
        node = ov.opset13.constant(tensor, shared_memory=True)
        return [result, *_sizes(tensor), node.get_output_shape(0), node.data]

    return check


CHECKS: dict[str, Check] = {
    **{f"packed, empty tensors of {type}": _empty(type) for type in TYPES},
    **{f"packed, {type} over bytes": _over_bytes(type) for type in TYPES},
    **{f"packed, constant of {type}": _constant(type) for type in TYPES},
    **{f"packed, vector of {type}": _vector(type) for type in ("u1", "u2", "u3", "u4", "u6")},
    **{f"packed, output of {type}": _output(type) for type in RUNNABLE},
}
