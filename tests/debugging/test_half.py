"""Numbers that are lost in f16: found with their place, kept in f32, and never a target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import first_not_finite, rank_layers
from irrun.debugging.answers import of_precision
from irrun.debugging.cases import Case
from irrun.debugging.stopping import AS_WRITTEN, is_half
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.debugging.nets import overflow
from tests.nets import Net

X = f32([[0.5, 2, -3, 0.25]])
HALF = {"INFERENCE_PRECISION_HINT": "f16"}


def division(path: Path) -> Path:
    """Write x / (mean(x) + 1e-8), whose addend is 0 in f16."""
    net = Net()
    x = net.parameter("x", "1,4")
    mean = net.layer("ReduceMean", [x, net.constant(np.array([1]))], keep_dims=True, name="mean")
    some = net.layer("Add", [mean, net.constant(f32([1e-8]))], name="eps")
    net.result(net.layer("Divide", [net.layer("Abs", [x]), some], name="norm"))
    return net.save(path)


@pytest.mark.parametrize("type", ["f32", "f16"])
def test_an_overflow_is_no_target(tmp_path: Path, type: str) -> None:
    found = rank_layers(load(overflow(tmp_path / "net.xml", type)), {0: X}, "f16")
    assert (found.predicted, found.target, found.kept) == (np.inf, 0.01, ("square",))
    assert 0 < found.keep[0].error < 0.001
    own = {item.layer: item.own for item in found.layers}
    assert np.isinf(own["square"])
    assert max(own["large"], own["small"]) < 2.0**-10


def test_two_overflows_are_kept(tmp_path: Path) -> None:
    """Each is enough for the outputs to be lost."""
    net = Net()
    at = net.parameter("x", "1,4")
    for name in ("first", "second"):
        at = net.layer("Multiply", [at, net.constant(f32([1e5]))], name=name)
        at = net.layer("Multiply", [at, net.constant(f32([1e-5]))], name=f"{name}_down")
    net.result(at)
    found = rank_layers(load(net.save(tmp_path / "net.xml")), {0: X}, "f16")
    assert {"first", "second"} <= set(found.kept)
    assert found.keep[-1].error <= 0.01


def test_a_constant_that_is_zero_in_f16(tmp_path: Path) -> None:
    found = rank_layers(load(division(tmp_path / "net.xml")), {0: f32([[1e-5, -1e-5, 1e-5, -1e-5]])}, "f16")
    assert (found.predicted, found.kept) == (np.inf, ("eps",))


def test_nothing_is_lost_in_f32(tmp_path: Path) -> None:
    model = load(overflow(tmp_path / "net.xml"))
    assert first_not_finite(model, {0: X}) is None
    assert first_not_finite(model, {0: X / 10}, config=HALF) is None
    found = first_not_finite(model, {0: X}, config=HALF)
    assert found is not None
    assert (found.layer, found.kind, found.precision) == ("square", "inf", "f16")


def test_a_fused_step_that_inherits_an_overflow(tmp_path: Path) -> None:
    """The run computes the division in f32, and a convolution with its epilogue overflows: the division is named."""
    net = Net()
    large = net.layer("Divide", [net.parameter("x", "1,1,4,4"), net.constant(f32([2e-4]))], name="scale")
    weights = net.constant(np.ones((2, 1, 3, 3), np.float32))
    pads = {name: [1, 1] for name in ("pads_begin", "pads_end", "strides", "dilations")}
    made = net.layer("Convolution", [large, weights], name="conv", **pads)
    net.result(net.layer("ReLU", [made], name="relu"))
    found = first_not_finite(
        load(net.save(tmp_path / "net.xml")), {0: np.full((1, 1, 4, 4), 16, np.float32)}, config=HALF
    )
    assert found is not None
    assert (found.layer, found.kind, found.count, found.precision) == ("scale", "inf", 16, "f16")


@pytest.mark.parametrize("type", ["f32", "f16"])
def test_models_in_half_precision(tmp_path: Path, type: str) -> None:
    assert is_half(load(overflow(tmp_path / "net.xml", type))) == (type == "f16")


def test_both_sides_of_a_precision(tmp_path: Path) -> None:
    """A file in f16 is exact in f32."""
    exact, rounded = of_precision("f16", {})(Case((load(overflow(tmp_path / "net.xml", "f16")),), (X,)))
    np.testing.assert_allclose(exact[0], (300 * X) ** 2 / 999, rtol=1e-6)
    assert np.isinf(rounded[0][0, [1, 2]]).all()


def stopped(net: Net, path: Path, inputs: dict[int, Array]) -> tuple[str, tuple[str, ...]]:
    model: Loaded = load(net.save(path))
    found = first_not_finite(model, inputs, config=AS_WRITTEN)
    assert found is not None
    return found.type, found.causes


def test_a_divisor_that_is_zero(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Divide", [net.parameter("x", "2,2"), net.parameter("y", "2,2")]))
    values = {0: f32([[1, 2], [0, 4]]), 1: f32([[1, 0], [0, 4]])}
    cause = "the divisor, input 1, is 0 in 2 elements, first at [0,1]"
    assert stopped(net, tmp_path / "net.xml", values) == ("Divide", (cause,))


@pytest.mark.parametrize("kind", ["boolean", "f32"])
def test_a_query_whose_keys_are_all_masked(tmp_path: Path, kind: str) -> None:
    net = Net()
    parts = [net.parameter(name, "1,2,3,4") for name in "qkv"]
    net.result(
        net.layer("ScaledDotProductAttention", [*parts, net.parameter("mask", "1,1,3,3", kind)], opset=13, causal=False)
    )
    mask = np.ones((1, 1, 3, 3), bool)
    mask[..., 1, :] = mask[..., 2, 0] = False
    given = mask if kind == "boolean" else np.where(mask, 0, -np.inf).astype(np.float32)
    values = {place: np.ones((1, 2, 3, 4), np.float32) for place in range(3)}
    cause = "the mask, input 3, hides all keys of query [0,0,1]"
    assert stopped(net, tmp_path / "net.xml", {**values, 3: given}) == ("ScaledDotProductAttention", (cause,))


def test_a_row_without_a_score(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("SoftMax", [net.parameter("x", "3,2")], opset=8, axis=-1))
    values = {0: f32([[1, 2], [-np.inf, -np.inf], [-np.inf, -np.inf]])}
    cause = "input 0 is -Inf throughout in row [1], of 2 such"
    assert stopped(net, tmp_path / "net.xml", values) == ("SoftMax", (cause,))


@pytest.mark.parametrize(
    ("type", "value", "cause"),
    [("Log", 0, "first at [0,2]: input 0 is 0"), ("Sqrt", -4, "first at [0,2]: input 0 is -4")],
)
def test_the_element_that_is_read(tmp_path: Path, type: str, value: float, cause: str) -> None:
    net = Net()
    net.result(net.layer(type, [net.parameter("x", "1,3")]))
    assert stopped(net, tmp_path / "net.xml", {0: f32([[1, 2, value]])}) == (type, (cause,))


def test_a_product_has_its_place_only(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("MatMul", [net.parameter("x", "2,2"), net.constant(f32([[3e38, 0], [0, 1]]))]))
    assert stopped(net, tmp_path / "net.xml", {0: f32([[1, 1], [3, 1]])}) == ("MatMul", ("first at [1,0]",))
