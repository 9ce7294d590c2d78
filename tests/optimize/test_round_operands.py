"""Operands of products in half precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import irrun.model
from irrun.document.writer import Handle
from irrun.kernels.casting import rounded
from irrun.model.config import ConfigError
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, F16, F32, U16
from tests.engines import TIERS
from tests.nets import Net
from tests.optimize.checking import types
from tests.optimize.quantized import fake_quantize


def product(net: Net, data: Handle, weights: Array, shape: str) -> Handle:
    return net.layer("MatMul", [data, net.constant(weights)], shape, transpose_a=False, transpose_b=False)


@pytest.mark.parametrize("type", [BF16, F16])
def test_a_product_of_rounded_operands(tmp_path: Path, type: ElementType) -> None:
    net = Net()
    weights = net.random.standard_normal((32, 48), dtype=np.float32)
    bias = net.random.standard_normal(48, dtype=np.float32)
    sum = net.layer("Add", [product(net, net.parameter("x", "9,32"), weights, "9,48"), net.constant(bias)], "9,48")
    net.result(net.layer("ReLU", [sum], "9,48"))
    x = net.inputs()["x"]
    exact = np.maximum(x @ weights + bias, 0)
    output = np.maximum(rounded(x, type.name).astype(np.float64) @ rounded(weights, type.name) + bias, 0)
    want = {"FusedRound": 1, "FusedMatMul": 1} if type is BF16 else {"FusedMatMul": 1}
    net.save(tmp_path / "net.xml")
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": type.name, "TIER": tier})
        assert types(compiled) == want
        got = compiled({"x": x})[0]
        np.testing.assert_allclose(got, output, atol=1e-5)
        assert np.abs(got - exact).max() > 1e-3


def test_bf16_stays_between_products(tmp_path: Path) -> None:
    net = Net()
    data = net.parameter("x", "1,16,9,11")
    first, second = (net.random.standard_normal((16, 16, 1, 1), dtype=np.float32) for _ in range(2))
    data = net.layer("ReLU", [net.convolution(data, net.constant(first), "1,16,9,11")], "1,16,9,11")
    net.result(net.convolution(data, net.constant(second), "1,16,9,11"))
    x = net.inputs()["x"]

    def pointwise(x: Array, weights: Array) -> Array:
        return np.einsum("oc,nchw->nohw", rounded(weights, "bf16")[:, :, 0, 0].astype(np.float64), rounded(x, "bf16"))

    output = pointwise(np.maximum(pointwise(x, first), 0).astype(np.float32), second)
    net.save(tmp_path / "net.xml")
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        assert types(compiled) == {"FusedRound": 1, "FusedConvolution": 2}
        inner = [fact.type for step in compiled.plan.steps[:2] for fact in step.facts]
        assert inner == [U16, U16]
        got = compiled({"x": x})[0]
        # A sum that is near to the middle of two bf16 may become the other one.
        assert np.abs(got - output).max() < 2.0**-6 * np.abs(output).max()
        assert np.median(np.abs(got - output)) < 1e-5


def test_products_of_one_tensor_share_its_bits_and_others_its_numbers(tmp_path: Path) -> None:
    net = Net()
    weights = net.random.standard_normal((8, 8), dtype=np.float32)
    data = product(net, net.parameter("x", "4,8"), weights, "4,8")
    reshaped = net.layer("Reshape", [data, net.constant(np.array([2, 2, 8]))], "2,2,8", special_zero=False)
    net.result(product(net, reshaped, weights, "2,2,8"), product(net, data, weights + 1, "4,8"))
    net.result(net.layer("Exp", [data], "4,8"))
    net.save(tmp_path / "net.xml")
    x = net.inputs()
    results = []
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        steps = types(compiled)
        assert (steps["FusedRound"], steps["FusedMatMul"]) == (1, 3)
        assert [fact.type.name for fact in compiled.plan.steps[1].facts] == ["f32", "u16"]
        results.append(compiled(x).to_tuple())
    for got, wanted in zip(results[0], results[-1], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-2, atol=2e-2 * np.abs(wanted).max())


@pytest.mark.parametrize(("channels", "rounds"), [(16, 1), (15, 2)])
def test_parts_are_rounded_before_they_are_joined(tmp_path: Path, channels: int, rounds: int) -> None:
    net = Net()
    data, shape = net.parameter("x", "1,16,5,7"), f"1,{channels},5,7"
    parts = [net.layer("ReLU", [net.convolution(data, net.normal(channels, 16, 1, 1), shape)], shape) for _ in "ab"]
    whole = net.layer("Concat", parts, f"1,{2 * channels},5,7", axis=1)
    net.result(net.convolution(whole, net.normal(6, 2 * channels, 3, 3), "1,6,3,5"))
    net.save(tmp_path / "net.xml")
    inputs, results = net.inputs(), []
    for tier in TIERS:
        config = {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier, "OPTIMIZE": {"disable": ["join-convolutions"]}}
        compiled = irrun.compile_model(tmp_path / "net.xml", config)
        assert types(compiled) == {"FusedRound": rounds, "FusedConvolution": 3, "Concat": 1}
        results.append(compiled(inputs)[0])
    np.testing.assert_allclose(results[0], results[-1], atol=2e-2 * np.abs(results[0]).max())


def test_factors_that_both_change_are_rounded(tmp_path: Path) -> None:
    net = Net()
    a, b = net.parameter("a", "3,6,8"), net.parameter("b", "3,8,5")
    net.result(net.layer("MatMul", [a, b], "3,6,5", transpose_a=False, transpose_b=False))
    inputs = net.inputs()
    output = rounded(inputs["a"], "bf16") @ rounded(inputs["b"], "bf16")
    net.save(tmp_path / "net.xml")
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        assert types(compiled) == {"FusedRound": 2, "MatMul": 1}
        np.testing.assert_allclose(compiled(inputs)[0], output, atol=1e-5)


@pytest.mark.parametrize("quantized", [True, False])
def test_a_transposed_convolution_of_levels_stays_in_f32(tmp_path: Path, quantized: bool) -> None:
    net = Net()
    data = net.parameter("x", "1,8,6,7")
    data = fake_quantize(net, data, "1,8,6,7") if quantized else net.layer("Exp", [data], "1,8,6,7")
    pads = {"strides": "2,2", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
    net.result(net.layer("ConvolutionBackpropData", [data, net.normal(8, 4, 2, 2)], "1,4,12,14", **pads))
    net.save(tmp_path / "net.xml")
    inputs = net.inputs()
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})(inputs)[0]
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        error = np.abs(compiled(inputs)[0] - plain).max()
        assert error < 1e-5 if quantized else error > 1e-4


def test_a_product_of_constants_is_one(tmp_path: Path) -> None:
    net = Net()
    values = [net.random.standard_normal(shape, dtype=np.float32) for shape in ((3, 5, 8), (3, 8, 2))]
    made = net.layer("MatMul", [net.constant(value) for value in values], "3,5,2")
    net.result(net.layer("Add", [net.parameter("x", "3,5,2"), made], "3,5,2"))
    inputs = net.inputs()
    net.save(tmp_path / "net.xml")
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        np.testing.assert_allclose(compiled(inputs)[0], inputs["x"] + values[0] @ values[1], atol=1e-5)


def test_the_view_of_a_constant_is_rounded(tmp_path: Path) -> None:
    net = Net()
    values = net.random.standard_normal((3, 5, 8), dtype=np.float32)
    turned = net.layer("Transpose", [net.constant(values), net.constant([0, 2, 1])], "3,8,5")
    net.result(net.layer("MatMul", [net.parameter("a", "3,6,8"), turned], "3,6,5", transpose_a=False))
    inputs = net.inputs()
    output = rounded(inputs["a"], "bf16") @ rounded(values, "bf16").transpose(0, 2, 1)
    net.save(tmp_path / "net.xml")
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        assert types(compiled) == {"FusedRound": 1, "MatMul": 1}
        np.testing.assert_allclose(compiled(inputs)[0], output, atol=1e-5)


def test_keys_that_are_the_view_of_a_constant_are_rounded(tmp_path: Path) -> None:
    net = Net()
    values = net.random.standard_normal((1, 6, 8), dtype=np.float32)
    keys = net.layer("Reshape", [net.constant(values), net.constant([1, 1, 6, 8])], "1,1,6,8", special_zero=False)
    data = [net.parameter("q", "1,1,5,8"), keys, net.parameter("v", "1,1,6,7")]
    net.result(net.layer("ScaledDotProductAttention", data, "1,1,5,7", 13, causal=False))
    inputs = {name: value.astype(np.float64) for name, value in net.inputs().items()}
    scores = rounded(inputs["q"].astype(np.float32), "bf16") @ rounded(values, "bf16").mT.astype(np.float64) / 8**0.5
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    net.save(tmp_path / "net.xml")
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        assert types(compiled) == {"FusedAttention": 1}
        got = compiled({name: value.astype(np.float32) for name, value in inputs.items()})[0]
        np.testing.assert_allclose(got, weights @ inputs["v"], atol=2e-2)


def test_a_convolution_of_each_channel_takes_bits_that_a_product_writes(tmp_path: Path) -> None:
    net = Net()
    first, own = (net.random.standard_normal(shape, dtype=np.float32) for shape in ((16, 16, 1, 1), (16, 1, 1, 3, 3)))
    data = net.convolution(net.parameter("x", "1,16,9,11"), net.constant(first), "1,16,9,11")
    net.result(net.convolution(data, net.constant(own), "1,16,7,9", "GroupConvolution"))
    net.save(tmp_path / "net.xml")
    x = net.inputs()["x"]
    point = np.einsum("oc,nchw->nohw", rounded(first, "bf16")[:, :, 0, 0].astype(np.float64), rounded(x, "bf16"))
    taps = sliding_window_view(rounded(point.astype(np.float32), "bf16"), (3, 3), axis=(2, 3))
    output = np.einsum("nchwyx,cyx->nchw", taps, rounded(own, "bf16")[:, 0, 0].astype(np.float64))
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        assert types(compiled) == {"FusedRound": 1, "FusedConvolution": 2}
        assert [fact.type for step in compiled.plan.steps for fact in step.facts] == [U16, U16, F32]
        np.testing.assert_allclose(compiled({"x": x})[0], output, atol=2.0**-6 * np.abs(output).max())


def test_what_is_not_a_product_stays_in_f32(tmp_path: Path) -> None:
    net = Net()
    shape = "1,4,6,6"
    weights = net.random.standard_normal((4, 1, 1, 3, 3), dtype=np.float32)
    data = net.convolution(net.parameter("x", shape), net.constant(weights), "1,4,4,4", "GroupConvolution")
    net.result(net.layer("SoftMax", [data], "1,4,4,4", 8, axis=1))
    net.save(tmp_path / "net.xml")
    x = net.inputs()
    plain, half = (
        irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": name, "TIER": "numpy"})
        for name in ("f32", "bf16")
    )
    assert types(plain) == types(half)
    np.testing.assert_array_equal(plain(x)[0], half(x)[0])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"INFERENCE_PRECISION_HINT": "bf61"}, "INFERENCE_PRECISION_HINT is 'bf61', expected f32, bf16 or f16"),
        (
            {"INFERENCE_PRECISION_HINT": "bf16", "OPTIMIZE": False},
            "INFERENCE_PRECISION_HINT is bf16, but OPTIMIZE is False: the file as written is not rounded",
        ),
    ],
)
def test_precisions_that_do_not_fit_are_refused(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    net = Net()
    net.result(net.layer("ReLU", [net.parameter("x", "2")], "2"))
    net.save(tmp_path / "net.xml")
    with pytest.raises(ConfigError) as caught:
        irrun.model.build(tmp_path / "net.xml", config)
    assert str(caught.value) == message


def test_keys_that_grow_stay_in_f32(tmp_path: Path) -> None:
    """Keys that are appended to those of an input are rounded by the kernel that reads them, if at all."""
    net = Net()
    keys = net.layer("Concat", [net.parameter("past", "1,1,5,8"), net.parameter("k", "1,1,1,8")], "1,1,6,8", axis=2)
    data = [net.parameter("q", "1,1,5,8"), keys, net.parameter("v", "1,1,6,7")]
    net.result(net.layer("ScaledDotProductAttention", data, "1,1,5,7", 13, causal=False))
    net.save(tmp_path / "net.xml")
    inputs = net.inputs()
    for tier in TIERS:
        plain, compiled = (
            irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": hint, "TIER": tier})
            for hint in ("f32", "bf16")
        )
        assert types(compiled)["FusedAttention"] == 1
        np.testing.assert_array_equal(compiled(inputs)[0], plain(inputs)[0])
