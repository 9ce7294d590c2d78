"""Layers with random geometry on both tiers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.runtime.executor import Executor
from irrun.tensor.element_type import BOOLEAN, I8, I32, I64, U8
from tests.nets import Net
from tests.optimize.quantized import RANGES, fake_quantize, text
from tests.optimize.quantized import convolution as convolve
from tests.optimize.quantized import filters as quantized_filters
from tests.plugins.tiers import Campaign

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

Random = np.random.Generator


def pick(random: Random, *values: Any) -> Any:
    return values[random.integers(len(values))]


def after(net: Net, random: Random, data: Handle, shape: str) -> Handle:
    """A residual and an activation, or neither."""
    if random.random() < 0.5:
        data = net.layer("Add", [data, net.parameter("residual", shape)], shape)
    name = pick(random, None, "ReLU", "Sigmoid", "Tanh", "HSwish", "Swish", "Gelu", "Mish", "SoftPlus", "PReLU")
    if name == "PReLU":
        return net.layer(name, [data, net.constant(np.float32([0.1]))], shape)
    if name == "Gelu":
        return net.layer(name, [data], shape, 7, approximation_mode="erf")
    return (
        data
        if name is None
        else net.layer(name, [data], shape, 4 if name in ("HSwish", "Swish", "Mish", "SoftPlus") else 1)
    )


def convolution(net: Net, random: Random) -> Handle:
    groups = pick(random, 1, 1, 1, 2, 5)
    depth, filters = (int(random.integers(1, 40)) for _ in range(2))
    if random.random() < 0.3:
        groups, depth, filters = int(random.integers(2, 50)), 1, 1
    axes = pick(random, 1, 2, 2, 3)
    kernel = [int(random.integers(1, 5)) for _ in range(axes)]
    strides, dilations = ([int(random.integers(1, 3)) for _ in range(axes)] for _ in range(2))
    begins, ends = ([int(random.integers(0, 3)) for _ in range(axes)] for _ in range(2))
    sizes = [int(random.integers(1, 14)) + (k - 1) * d for k, d in zip(kernel, dilations, strict=True)]
    batch = pick(random, 1, 1, 3)
    counts = [
        (size + b + e - (k - 1) * d - 1) // s + 1
        for size, b, e, k, d, s in zip(sizes, begins, ends, kernel, dilations, strides, strict=True)
    ]
    x = net.parameter("x", text(batch, groups * depth, *sizes))
    shape = text(batch, groups * filters, *counts)
    weights = net.normal(*((groups,) if groups > 1 else ()), filters, depth, *kernel)
    geometry = {"strides": strides, "dilations": dilations, "begins": begins, "ends": ends}
    made = convolve(net, x, weights, shape, **geometry, groups=groups > 1)
    if random.random() < 0.5:
        made = net.layer("Add", [made, net.normal(1, groups * filters, *(1,) * axes)], shape)
    return after(net, random, made, shape)


def integers(net: Net, random: Random) -> Handle:
    """A convolution of levels."""
    groups = pick(random, 1, 1, 1, 2, 5)
    depth, filters = (int(random.integers(1, 90)) for _ in range(2))
    if random.random() < 0.3:
        groups, depth, filters = int(random.integers(2, 90)), 1, 1
    kernel = [int(random.integers(1, 5)) for _ in range(2)]
    strides, dilations = ([int(random.integers(1, 3)) for _ in range(2)] for _ in range(2))
    begins, ends = ([int(random.integers(0, 3)) for _ in range(2)] for _ in range(2))
    sizes = [int(random.integers(1, 14)) + (k - 1) * d for k, d in zip(kernel, dilations, strict=True)]
    batch = pick(random, 1, 1, 3)
    axes = zip(sizes, begins, ends, kernel, dilations, strides, strict=True)
    counts = [(size + b + e - (k - 1) * d - 1) // s + 1 for size, b, e, k, d, s in axes]
    x = text(batch, groups * depth, *sizes)
    data = fake_quantize(net, net.parameter("x", x), x, pick(random, *RANGES))
    scale = random.uniform(0.002, 0.02, ((groups,) if groups > 1 else ()) + (filters, 1, 1, 1))
    weights = quantized_filters(net, ((groups,) if groups > 1 else ()) + (filters, depth, *kernel), scale=scale)
    shape = text(batch, groups * filters, *counts)
    geometry = {"strides": strides, "dilations": dilations, "begins": begins, "ends": ends}
    made = convolve(net, data, weights, shape, **geometry, groups=groups > 1)
    if random.random() < 0.5:
        made = net.layer("Add", [made, net.normal(1, groups * filters, 1, 1)], shape)
    return after(net, random, made, shape)


def tiles(net: Net, random: Random) -> Handle:
    """Large enough for Winograd's tiles."""
    height, width = (int(random.integers(24, 34)) for _ in range(2))
    shape = text(1, 40, height, width)
    made = net.layer(
        "Convolution",
        [net.parameter("x", text(1, 33, height, width)), net.normal(40, 33, 3, 3)],
        shape,
        strides="1,1",
        dilations="1,1",
        pads_begin="1,1",
        pads_end="1,1",
        auto_pad="explicit",
    )
    return after(net, random, net.layer("Add", [made, net.normal(1, 40, 1, 1)], shape), shape)


def transposed_convolution(net: Net, random: Random) -> Handle:
    axes, batch, groups = pick(random, 1, 2, 2, 3), pick(random, 1, 1, 3), pick(random, 1, 1, 3)
    strides = [int(random.integers(1, 4)) for _ in range(axes)]
    kernel = [stride + int(random.integers(0, 3)) for stride in strides]
    sizes = [int(random.integers(1, 9)) for _ in range(axes)]
    begins = [int(random.integers(0, k)) for k in kernel]
    counts = [(n - 1) * s + k - b for n, s, k, b in zip(sizes, strides, kernel, begins, strict=True)]
    depth, filters = (int(random.integers(1, 20)) for _ in range(2)) if random.random() < 0.7 else (1, 1)
    shape = text(batch, groups * filters, *counts)
    weights = net.normal(*((groups,) if groups > 1 else ()), depth, filters, *kernel)
    made = net.layer(
        "GroupConvolutionBackpropData" if groups > 1 else "ConvolutionBackpropData",
        [net.parameter("x", text(batch, groups * depth, *sizes)), weights],
        shape,
        strides=text(*strides),
        dilations=text(*(1 for _ in begins)),
        pads_begin=text(*begins),
        pads_end=text(*(0 for _ in begins)),
        auto_pad="explicit",
    )
    if random.random() < 0.5:
        made = net.layer("Add", [made, net.normal(1, groups * filters, *(1,) * axes)], shape)
    return after(net, random, made, shape)


def pooling(net: Net, random: Random) -> Handle:
    axes = pick(random, 1, 2, 2, 3)
    kernel, strides = ([int(random.integers(1, 4)) for _ in range(axes)] for _ in range(2))
    begins, ends = ([int(random.integers(0, k)) for k in kernel] for _ in range(2))
    sizes = [int(random.integers(4, 14)) for _ in range(axes)]
    channels = int(random.integers(1, 70))
    counts = [(n + b + e - k) // s + 1 for n, b, e, k, s in zip(sizes, begins, ends, kernel, strides, strict=True)]
    common = {
        "kernel": text(*kernel),
        "strides": text(*strides),
        "pads_begin": text(*begins),
        "pads_end": text(*ends),
        "rounding_type": "floor",
        "auto_pad": "explicit",
    }
    x, shape = net.parameter("x", text(2, channels, *sizes)), text(2, channels, *counts)
    if random.random() < 0.5:
        return net.layer("MaxPool", [x], shape, **common)
    return net.layer("AvgPool", [x], shape, **common, **{"exclude-pad": bool(random.random() < 0.5)})


def product(net: Net, random: Random) -> Handle:
    rows, depth, columns = (int(random.integers(1, 140)) for _ in range(3))
    shape = text(2, rows, columns)
    made = net.layer("MatMul", [net.parameter("x", text(2, rows, depth)), net.normal(depth, columns)], shape)
    if random.random() < 0.5:
        made = net.layer("Add", [made, net.normal(columns)], shape)
    return after(net, random, made, shape)


def attention(net: Net, random: Random) -> Handle:
    heads, queries, keys, depth, width = (int(random.integers(1, 70)) for _ in range(5))
    heads = heads % 5 + 1
    split = text(1, heads, queries, depth)
    q = net.layer(
        "Transpose",
        [net.parameter("q", text(1, queries, heads, depth)), net.constant(np.array([0, 2, 1, 3]))],
        split,
    )
    inputs = [q, net.parameter("k", text(1, heads, keys, depth)), net.parameter("v", text(1, heads, keys, width))]
    causal = bool(random.random() < 0.3)
    if not causal and random.random() < 0.8:
        shape = pick(random, text(queries, keys), text(1, 1, 1, keys), text(heads, queries, 1), text(1, heads, 1, keys))
        inputs.append(net.parameter("mask", shape))
        if random.random() < 0.5:
            inputs[-1:] = net.layers("Greater", [inputs[-1], net.constant(np.float32(-1))], [(BOOLEAN, shape)])
        if random.random() < 0.5:
            inputs += [net.parameter("scale", "1"), net.parameter("sink", text(1, heads, 1, 1))]
    shape = text(1, heads, queries, width)
    made = net.layer("ScaledDotProductAttention", inputs, shape, 13, causal=causal)
    transposed = net.layer("Transpose", [made, net.constant(np.array([0, 2, 1, 3]))], text(1, queries, heads, width))
    return net.layer(
        "Reshape",
        [transposed, net.constant(np.array([queries, heads * width]))],
        text(queries, heads * width),
        special_zero=False,
    )


def elementwise(net: Net, random: Random) -> Handle:
    sizes = [int(random.integers(1, 60)) for _ in range(3)]
    data = net.parameter("x", text(*sizes))
    order = random.permutation(3)
    shape = text(*(sizes[axis] for axis in order))
    data = net.layer("Transpose", [data, net.constant(order)], shape)
    transposed = [sizes[axis] for axis in order]
    for number in range(int(random.integers(1, 6))):
        if random.random() < 0.4:
            data = net.layer(pick(random, "Tanh", "Exp", "Abs", "Negative", "Sigmoid"), [data], shape)
            continue
        other = [pick(random, size, 1) for size in transposed][int(random.integers(3)) :]
        sides = [data, net.parameter(f"y{number}", text(*other)) if other else net.normal(1)]
        if random.random() < 0.5:
            sides.reverse()
        data = net.layer(pick(random, "Add", "Subtract", "Multiply", "Maximum", "Minimum"), sides, shape)
    return data


def rows(net: Net, random: Random) -> Handle:
    sizes = [int(random.integers(1, 50)) for _ in range(3)]
    shape = text(*sizes)
    x = net.parameter("x", shape)
    if random.random() < 0.5:
        return net.layer("SoftMax", [x], shape, axis=int(random.integers(3)))
    made = net.layer(
        "MVN", [x, net.constant(np.array([2]))], shape, 6, eps=1e-5, eps_mode="inside_sqrt", normalize_variance=True
    )
    scaled = net.layer("Multiply", [made, net.normal(sizes[2])], shape)
    return net.layer("Add", [scaled, net.normal(sizes[2])], shape)


def joined(net: Net, random: Random) -> Handle:
    count = int(random.integers(2, 5))
    axis = int(random.integers(1, 4))
    sizes = [int(random.integers(1, 20)) for _ in range(3)]
    parts, total = [], 0
    for number in range(count):
        own = [2, *sizes]
        own[axis] = int(random.integers(1, 30))
        total += own[axis]
        x = net.parameter(f"x{number}", text(*own))
        parts.append(net.layer("Tanh", [x], text(*own)))
    whole = [2, *sizes]
    whole[axis] = total
    return net.layer("Concat", parts, text(*whole), axis=axis)


def types(net: Net, random: Random) -> Handle:
    """Integers, comparisons of them, and what they select."""
    sizes = [int(random.integers(1, 40)) for _ in range(3)]
    order = random.permutation(3)
    kind, shape = pick(random, I8, I32, I64, U8), text(*(sizes[axis] for axis in order))
    x = net.layer("Multiply", [net.parameter("x", text(*sizes)), net.constant(np.float32(9))], text(*sizes))
    data = net.layer("Transpose", [x, net.constant(order)], shape)
    (whole,) = net.layers("Convert", [data], [(kind, shape)], destination_type=kind.name)
    last = text(sizes[order[-1]])
    (row,) = net.layers("Convert", [net.parameter("y", last)], [(kind, last)], destination_type=kind.name)
    for _ in range(int(random.integers(1, 4))):
        name = pick(random, "Add", "Multiply", "Maximum", "FloorMod", "Divide", "SquaredDifference")
        (whole,) = net.layers(name, [whole, row], [(kind, shape)])
    (is_less,) = net.layers(pick(random, "Less", "GreaterEqual", "NotEqual"), [whole, row], [(BOOLEAN, shape)])
    chosen = net.layer("Select", [is_less, data, net.constant(np.float32(-1))], shape)
    return net.layer("Add", [chosen, net.layer("Convert", [whole], shape, destination_type="f32")], shape)


def regions(net: Net, random: Random) -> Handle:
    """An average pooling of regions, some of which are outside of their image."""
    batch, channels, height, width, count, rows, columns = (int(size) for size in random.integers(1, 20, 7))
    order = net.constant(np.array([0, 3, 1, 2]))
    data = net.layer("Transpose", [net.parameter("x", text(batch, height, width, channels)), order], "?,?,?,?")
    boxes = net.layer("Multiply", [net.parameter("boxes", text(count, 4)), net.constant(np.float32(9))], "?,4")
    attributes = {"pooled_h": rows, "pooled_w": columns, "sampling_ratio": pick(random, 0, 1, 2), "spatial_scale": 0.7}
    attributes |= {"mode": "avg", "aligned_mode": pick(random, "asymmetric", "half_pixel")}
    shape = text(count, channels, rows, columns)
    return net.layer("ROIAlign", [data, boxes, net.constant(random.integers(0, batch, count))], shape, 9, **attributes)


Layer = Callable[[Net, Random], Handle]

LAYERS: list[Layer] = [
    *(convolution, integers, tiles, transposed_convolution, pooling, product, attention, elementwise, rows, joined),
    *(types, regions),
]


def drawn(layer: Layer, seed: int) -> Net:
    """A network that is one layer."""
    net = Net()
    net.result(layer(net, np.random.default_rng([seed, LAYERS.index(layer)])))
    return net


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_both_tiers_agree(tmp_path: Path, layer: Layer, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for seed in campaign.draws(3, 12):
        with subtests.test(seed=seed):
            check_agreement(tmp_path, drawn(layer, seed))


def check_agreement(tmp_path: Path, net: Net) -> None:
    net.save(tmp_path / "net.xml")
    compiled = irrun.model.build(tmp_path / "net.xml", {"TIER": "compiled"})
    plain = irrun.model.build(tmp_path / "net.xml", {"TIER": "numpy", "OPTIMIZE": False})
    for _ in range(2):
        inputs = net.inputs()
        np.testing.assert_allclose(compiled(inputs)[0], plain(inputs)[0], rtol=1e-3, atol=3e-4)
    check_kernels(compiled.executor)


def check_kernels(executor: Executor) -> None:
    """Fail if NumPy computed a run, or a step of one."""
    account = executor.account
    assert (account["runs_by_tier"]["numpy"], account["interpreted"]) == ({}, {})
    assert account["runs_by_tier"]["compiled"]


@pytest.mark.parametrize(
    "layer", [convolution, tiles, transposed_convolution, product, joined], ids=lambda x: x.__name__
)
def test_both_tiers_round_alike(tmp_path: Path, layer: Layer, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for seed in campaign.draws(3, 12):
        for precision in ("bf16", "f16"):
            with subtests.test(seed=seed, precision=precision):
                check_rounding(tmp_path, drawn(layer, seed), precision)


def check_rounding(tmp_path: Path, net: Net, precision: str) -> None:
    net.save(tmp_path / "net.xml")
    config = {"INFERENCE_PRECISION_HINT": precision}
    compiled, plain = (
        irrun.compile_model(tmp_path / "net.xml", {**config, "TIER": tier}) for tier in ("compiled", "numpy")
    )
    for _ in range(2):
        inputs = net.inputs()
        got, wanted = compiled(inputs)[0], plain(inputs)[0]
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5 * np.abs(wanted).max(initial=1))
    check_kernels(compiled.executor)
