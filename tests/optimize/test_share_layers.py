"""Layers whose work is shared, with data in either layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Handle
from tests.optimize.nets import Net, check

WINDOWS: dict[str, Any] = {"strides": "2,2", "rounding_type": "ceil", "auto_pad": "explicit"}
LAYERS: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "average": (
        "AvgPool",
        "2,8,13,17",
        1,
        {**WINDOWS, "kernel": "3,2", "pads_begin": "1,0", "pads_end": "1,1", "exclude-pad": True},
    ),
    "average with padding": (
        "AvgPool",
        "2,8,13,17",
        14,
        {**WINDOWS, "kernel": "3,2", "pads_begin": "1,0", "pads_end": "1,1", "exclude-pad": False},
    ),
    "average of all": (
        "AvgPool",
        "2,8,1,1",
        1,
        {**WINDOWS, "kernel": "25,33", "pads_begin": "0,0", "pads_end": "0,0", "exclude-pad": False},
    ),
    "softmax of channels": ("SoftMax", "2,8,25,33", 8, {"axis": -3}),
    "softmax of columns": ("SoftMax", "2,8,25,33", 1, {"axis": 3}),
    "shuffle": ("ShuffleChannels", "2,8,25,33", 1, {"axis": 1, "group": 2}),
    "shuffle of rows": ("ShuffleChannels", "2,8,25,33", 1, {"axis": -2, "group": 5}),
}


def data(net: Net, channels_last: bool) -> Handle:
    if not channels_last:
        return net.parameter("x", "2,8,25,33")
    return net.layer("Transpose", [net.parameter("x", "2,25,33,8"), net.constant(np.array([0, 3, 1, 2]))], "2,8,25,33")


def fused(type: str, channels_last: bool) -> dict[str, int]:
    return {f"Fused{type}": 1, **({"Transpose": 1} if channels_last else {})}


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_large_tensors(tmp_path: Path, name: str, channels_last: bool) -> None:
    type, shape, opset, attributes = LAYERS[name]
    net = Net()
    net.result(net.layer(type, [data(net, channels_last)], shape, opset, **attributes))
    check(net, tmp_path, ["share-layers"], fused(type, channels_last))


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("axes", [[1], [-1], [2, 3]])
@pytest.mark.parametrize("size", [1, 4, 5, 33])
def test_local_response(tmp_path: Path, channels_last: bool, axes: list[int], size: int) -> None:
    net = Net()
    attributes: dict[str, Any] = {"alpha": 0.5, "beta": 0.75, "bias": 1.5, "size": size}
    net.result(net.layer("LRN", [data(net, channels_last), net.constant(np.array(axes))], "2,8,25,33", **attributes))
    check(net, tmp_path, ["share-layers"], fused("LRN", channels_last))


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("keep_dims", [False, True])
def test_means_of_channels(tmp_path: Path, channels_last: bool, keep_dims: bool) -> None:
    net = Net()
    axes = net.constant(np.array([3, 2]))
    shape = "2,8,1,1" if keep_dims else "2,8"
    net.result(net.layer("ReduceMean", [data(net, channels_last), axes], shape, keep_dims=keep_dims))
    check(net, tmp_path, ["share-layers"], fused("ReduceMean", channels_last))


@pytest.mark.parametrize("axes", [[1], [1, 2, 3], [0, 2, 3]])
def test_other_means_are_left_alone(tmp_path: Path, axes: list[int]) -> None:
    net = Net()
    shape = ",".join("1" if axis in axes else size for axis, size in enumerate(["2", "8", "25", "33"]))
    net.result(net.layer("ReduceMean", [data(net, False), net.constant(np.array(axes))], shape, keep_dims=True))
    check(net, tmp_path, ["share-layers"], {"ReduceMean": 1})


def test_small_tensors_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("SoftMax", [net.parameter("x", "1,1000")], "1,1000", axis=1))
    check(net, tmp_path, ["share-layers"], {"SoftMax": 1})


def test_sizes_that_are_not_known(tmp_path: Path) -> None:
    net = Net()
    attributes = {**WINDOWS, "kernel": "3,3", "pads_begin": "1,1", "pads_end": "1,1", "exclude-pad": True}
    net.result(net.layer("AvgPool", [net.parameter("x", "?,8,?,?")], "?,8,?,?", **attributes))
    check(net, tmp_path, ["share-layers"], {"FusedAvgPool": 1}, sizes={"x": (3, 8, 11, 14)})
