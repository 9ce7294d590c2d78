"""Checks of tensors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tests.openvino.comparing import Check


def _shared(ov: Any, change_tensor: bool) -> list[float]:
    array = np.zeros(3, np.float32)
    tensor = ov.Tensor(array, shared_memory=True)
    if change_tensor:
        tensor.data[:] = 5
    else:
        array[:] = 7
    return [*array.tolist(), *tensor.data.tolist()]


def _copied(ov: Any) -> list[float]:
    array = np.zeros(3, np.float32)
    tensor = ov.Tensor(array)
    array[:] = 7
    return tensor.data.tolist()


def _copy_from(ov: Any) -> Any:
    target = ov.Tensor(ov.Type.f32, ov.Shape([2]))
    target.copy_from(ov.Tensor(np.array([1, 2], np.float32)))
    return target.data


def _copy_to(ov: Any) -> Any:
    target = ov.Tensor(ov.Type.f32, ov.Shape([2]))
    ov.Tensor(np.array([1, 2], np.float32)).copy_to(target)
    return target.data


def _resized(ov: Any) -> Any:
    tensor = ov.Tensor(ov.Type.f32, ov.Shape([2, 3]))
    tensor.shape = [1, 3]
    return [tensor.shape, tensor.size, tensor.data.shape]


def _strings(ov: Any) -> Any:
    tensor = ov.Tensor(ov.Type.string, ov.Shape([2]))
    tensor.str_data = ["ab", "c"]
    return [tensor.element_type, tensor.str_data.tolist(), tensor.bytes_data.tolist()]


def _packed(ov: Any) -> Any:
    tensor = ov.Tensor(np.array([0x21, 0x43], np.uint8), ov.Shape([4]), ov.Type.u4)
    return [tensor.element_type, tensor.shape, tensor.size, tensor.byte_size, tensor.data]


def _filled(ov: Any) -> Any:
    tensor = ov.Tensor(ov.Type.i32, ov.Shape([2, 2]))
    tensor.data[:] = np.array([[1, 2], [3, 4]])
    tensor.data[0, 0] = 9
    return tensor.data


TENSORS: dict[str, Check] = {
    "tensor of array": lambda ov: [ov.Tensor(np.zeros((2, 3), np.float32)), ov.Tensor(np.zeros((2, 3), np.int64))],
    "tensor of shape": lambda ov: [
        ov.Tensor(ov.Type.f32, ov.Shape([2, 3])),
        ov.Tensor(np.float32, [1]),
        ov.Tensor(type=ov.Type.i8, shape=ov.Shape([4])),
    ],
    "tensor of array and type": lambda ov: ov.Tensor(np.arange(4, dtype=np.uint8), ov.Shape([2, 2]), ov.Type.u8),
    "tensor of list": lambda ov: ov.Tensor([1.0, 2.0]),
    "tensor of ints": lambda ov: ov.Tensor([1, 2]),
    "tensor of scalar array": lambda ov: ov.Tensor(np.array(3, np.float32)).data,
    "tensor sizes": lambda ov: [
        ov.Tensor(np.zeros((2, 3), np.float32)).size,
        ov.Tensor(np.zeros((2, 3), np.float32)).byte_size,
        ov.Tensor(np.zeros((2, 3), np.float16)).get_byte_size(),
        ov.Tensor(np.zeros(4)).get_size(),
    ],
    "tensor getters": lambda ov: [
        ov.Tensor(np.zeros(4)).get_element_type(),
        ov.Tensor(np.zeros(4)).get_shape(),
        ov.Tensor(np.zeros((2, 3), np.int8)).get_strides(),
    ],
    "tensor strides": lambda ov: list(ov.Tensor(np.zeros((2, 3), np.float32)).strides),
    "tensor data": lambda ov: ov.Tensor(np.arange(4, dtype=np.int32)).data,
    "tensor shares array": lambda ov: _shared(ov, False),
    "array shares tensor": lambda ov: _shared(ov, True),
    "tensor copies array": _copied,
    "tensor copy from": _copy_from,
    "tensor copy to": _copy_to,
    "tensor set shape": _resized,
    "tensor filled": _filled,
    "tensor of strings": _strings,
    "tensor of string array": lambda ov: [
        ov.Tensor(np.array(["a", "bcd"])),
        ov.Tensor(np.array(["a", "bcd"])).str_data.tolist(),
    ],
    "tensor of string list": lambda ov: ov.Tensor(["x", "yz"]).str_data.tolist(),
    "tensor of bytes array": lambda ov: ov.Tensor(np.array([b"a", b"bcd"])).bytes_data.tolist(),
    "tensor packed": _packed,
    "tensor packed i4": lambda ov: [
        ov.Tensor(ov.Type.i4, ov.Shape([3])).data.shape,
        ov.Tensor(ov.Type.i4, ov.Shape([3])).data.dtype,
    ],
    "tensor packed f8": lambda ov: ov.Tensor(ov.Type.f8e4m3, ov.Shape([2])).data.shape,
    "tensor bf16": lambda ov: ov.Tensor(ov.Type.bf16, ov.Shape([2])).data.dtype,
    "tensor f16": lambda ov: ov.Tensor(ov.Type.f16, ov.Shape([2])).data.dtype,
    "tensor bool": lambda ov: ov.Tensor(np.array([True, False])),
    "tensor continuous": lambda ov: ov.Tensor(np.zeros(3)).is_continuous(),
    "tensor region": lambda ov: (
        ov.Tensor(
            ov.Tensor(np.arange(12, dtype=np.float32).reshape(3, 4)), ov.Coordinate([1, 0]), ov.Coordinate([2, 4])
        ).data
    ),
    "tensor of transposed array": lambda ov: ov.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3).T).data,
    "tensor shares transposed array": lambda ov: (
        ov.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3).T, shared_memory=True).data
    ),
    "tensor of bad dtype": lambda ov: ov.Tensor(np.zeros(2, np.complex64)),
    "tensor copies": lambda ov: [copy.copy(ov.Tensor(np.arange(2))).data, copy.deepcopy(ov.Tensor(np.arange(2))).data],
    "tensor empty": lambda ov: ov.Tensor(np.zeros((0, 3), np.float32)).shape,
    "tensor of tensor data": lambda ov: np.array(ov.Tensor(np.arange(3)).data).sum(),
    "tensor too small": lambda ov: ov.Tensor(np.zeros(2, np.uint8), ov.Shape([9]), ov.Type.u4),
}


CHECKS = {**TENSORS}
