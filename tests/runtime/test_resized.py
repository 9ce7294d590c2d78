"""Sizes that are computed in floats, and what is resized, padded or counted by them: one program is for all sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import F32, I64
from tests.kernels.merged import merged
from tests.nets import Net
from tests.runtime.test_open import whole
from tests.runtime.test_tiers import both, products

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

SIZES = ((9, 13), (13, 9), (16, 24), (8, 8), (21, 6), (5, 30), (17, 23))


def size_of(net: Net, data: Handle, axis: int) -> Handle:
    shape = whole(net, "ShapeOf", [data], "3", 3, output_type="i64")
    return whole(net, "Gather", [shape, net.constant(np.array(axis)), net.constant(np.array(0))], "", 8)


def in_floats(net: Net, number: Handle) -> Handle:
    return net.layer("Convert", [number], "", destination_type="f32")


def in_integers(net: Net, number: Handle) -> Handle:
    return whole(net, "Convert", [number], "", destination_type="i64")


def row(net: Net, *numbers: Handle) -> Handle:
    front = net.constant(np.array([0]))
    parts = [whole(net, "Unsqueeze", [number, front], "1") for number in numbers]
    return whole(net, "Concat", parts, f"{len(parts)}", axis=0)


def check(net: Net, folder: Path, *, sizes: Any = SIZES, most: int = 1) -> None:
    """Compare all sizes with NumPy; no step runs there, and few programs are for all of them."""
    one, compiled = both(net, folder)
    for height, width in sizes:
        inputs = net.inputs({"x": (height, width, 24)})
        for got, wanted in zip(compiled(inputs).to_tuple(), one(inputs).to_tuple(), strict=True):
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4)
        assert not compiled.executor.account["interpreted"]
        assert not compiled.executor.account["runs_by_tier"]["numpy"]
        assert not compiled.executor.account["bailouts"]
    assert all(len(list(programs)) <= most for programs in compiled.executor.programs)


def test_an_image_is_scaled_to_limits_and_padded_to_whole_blocks(tmp_path: Path) -> None:
    """As detectors begin: the short side has 12 pixels unless the long one would have more than 20."""
    net = Net()
    x = net.parameter("x", "?,?,24")
    sides = [size_of(net, x, axis) for axis in (0, 1)]
    both_sides = net.layer("Convert", [row(net, *sides)], "2", destination_type="f32")
    front = net.constant(np.array([0]))
    short, long = (net.layer(kind, [both_sides, front], "", keep_dims=False) for kind in ("ReduceMin", "ReduceMax"))
    limits = [
        net.layer("Divide", [net.constant(np.float32(number)), side], "") for number, side in ((12, short), (20, long))
    ]
    scale = net.layer("Minimum", limits, "")
    targets = [
        in_integers(net, net.layer("Floor", [net.layer("Multiply", [in_floats(net, side), scale], "")], ""))
        for side in sides
    ]
    settings = {
        "mode": "linear_onnx",
        "shape_calculation_mode": "sizes",
        "coordinate_transformation_mode": "half_pixel",
    }
    axes = net.constant(np.array([0, 1]))
    image = net.layer(
        "Interpolate", [products(net, x, 1, "?,?,24"), row(net, *targets), axes], "?,?,24", 11, **settings
    )
    eight, none = net.constant(np.float32(8)), net.constant(np.array(0))
    pads = []
    for axis in (0, 1):
        size = size_of(net, image, axis)
        blocks = net.layer("Ceiling", [net.layer("Divide", [in_floats(net, size), eight], "")], "")
        wanted = in_integers(net, net.layer("Multiply", [blocks, eight], ""))
        pads.append(whole(net, "Subtract", [wanted, size], ""))
    begins, value = net.constant(np.array([0, 0, 0])), net.constant(np.float32(0))
    padded = net.layer("Pad", [image, begins, row(net, *pads, none), value], "?,?,24", 12, pad_mode="constant")
    net.result(products(net, padded, 1, "?,?,24"), net.layer("Multiply", [image, scale], "?,?,24"))
    check(net, tmp_path)


@merged()
@pytest.mark.parametrize("mode", ["nearest", "linear", "linear_onnx", "cubic"])
@pytest.mark.parametrize("by", ["sizes", "scales", "floats"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "align_corners", "asymmetric"])
def test_axes_of_any_size_are_resampled(tmp_path: Path, mode: str, by: str, coordinates: str) -> None:
    net = Net()
    x = net.parameter("x", "?,?,24")
    data = products(net, x, 1, "?,?,24")
    sides = [size_of(net, x, axis) for axis in (1, 0)]
    given: Handle
    if by == "sizes":
        given = row(net, *sides)
    elif by == "scales":
        given = net.constant(np.array([1.5, 2], np.float32))
    else:
        given = net.layer("Sqrt", [net.layer("Convert", [row(net, *sides)], "2", destination_type="f32")], "2")
    settings = {
        "mode": mode,
        "shape_calculation_mode": "sizes" if by == "sizes" else "scales",
        "coordinate_transformation_mode": coordinates,
        "nearest_mode": "floor",
    }
    made = net.layer("Interpolate", [data, given, net.constant(np.array([0, 1]))], "?,?,24", 11, **settings)
    net.result(products(net, made, 1, "?,?,24"))
    check(net, tmp_path, sizes=((9, 13), (4, 6), (3, 11), (12, 5)), most=2)


def test_windows_cover_axes_of_any_size(tmp_path: Path) -> None:
    net = Net()
    rows = products(net, net.parameter("x", "?,?,24"), 1, "?,?,24")
    front = net.constant(np.array([0]))
    images = net.layer("Unsqueeze", [rows, front], "1,?,?,24")
    moved = net.layer("Transpose", [images, net.constant(np.array([0, 3, 1, 2]))], "1,24,?,?")
    net.result(net.layer("AdaptiveAvgPool", [moved, net.constant(np.array([3, 5]))], "1,24,3,5", 8))
    check(net, tmp_path)


@pytest.mark.parametrize("type", ["f32", "i64"])
def test_numbers_up_to_a_float_of_sizes(tmp_path: Path, type: str) -> None:
    """As exporters write positions and anchors: from 0 up to a size, in floats, in steps of a float."""
    net = Net()
    x = net.parameter("x", "?,?,24")
    stop, step = in_floats(net, size_of(net, x, 1)), net.constant(np.float32(1 if type == "i64" else 0.75))
    kind = F32 if type == "f32" else I64
    (places,) = net.layers("Range", [net.constant(np.float32(0)), stop, step], [(kind, "?")], 4, output_type=type)
    net.result(products(net, x, 2, "?,?,24"), places)
    check(net, tmp_path)


def test_elements_are_found_or_not(tmp_path: Path) -> None:
    """As detectors select at most three boxes, each of its class: one program, whether there are some or none."""
    net, random = Net(), np.random.default_rng(4)
    x = net.parameter("x", "?,24")
    data = products(net, x, 1, "?,24")
    zero, one = net.constant(np.array(0)), net.constant(np.array([1]))
    score = net.layer("Gather", [x, zero, net.constant(np.array(1))], "?", 8)
    places = whole(net, "NonZero", [net.layer("ReLU", [score], "?")], "1,?", 3, output_type="i64")
    rows = whole(net, "Squeeze", [places, net.constant(np.array([0]))], "?")
    found = net.layer("Gather", [data, rows, zero], "?,24", 8)
    first = net.layer("Slice", [found, net.constant(np.array([0])), net.constant(np.array([3])), one], "?,24", 8)
    likely = net.layer("SoftMax", [first], "?,24", 8, axis=1)
    turned = net.layer("Transpose", [likely, net.constant(np.array([1, 0]))], "24,?")
    best = net.layer("ReduceMax", [likely, one], "?,1", keep_dims=True)
    kinds = whole(
        net, "Convert", [net.layer("Round", [best], "?,1", 5, mode="half_to_even")], "?,1", destination_type="i64"
    )
    own = net.layer("GatherElements", [likely, kinds], "?,1", 6, axis=1)
    flat = net.layer("Reshape", [turned, net.constant(np.array([-1]))], "?", special_zero=False)
    net.result(turned, flat, net.layer("Multiply", [own, best], "?,1"))
    plain, compiled = both(net, tmp_path)
    for count in (4, 3, 0, 1, 8, 0, 2):
        inputs = net.inputs({"x": (8, 24)})
        inputs["x"][:, 0] = np.where(random.permutation(8) < count, 1, -1)
        for got, wanted in zip(compiled(inputs).to_tuple(), plain(inputs).to_tuple(), strict=True):
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4)
    assert not compiled.executor.account["interpreted"]
    assert not compiled.executor.account["bailouts"]
    assert all(len(list(programs)) == 1 for programs in compiled.executor.programs)
