"""Models that run as in lower precision, and layers that are marked to stay in f32."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import DebugError, blame, rank_layers
from irrun.debugging.keeping import keep_in_f32, measured
from irrun.debugging.rounding import run_rounded, steps_that_round
from irrun.kernels.casting import rounded
from irrun.model import Loaded, load
from irrun.runtime.planning import AS_WRITTEN
from irrun.tensor import Array
from tests.cases import f32
from tests.loops import loop_model
from tests.nets import Net

RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.standard_normal((4, 3)).astype(np.float32)
X = RANDOM.standard_normal((2, 4)).astype(np.float32)


def in_levels(array: Array, axis: int | None) -> Array:
    scale = np.abs(array).max(axis=axis, keepdims=True) / np.float32(127)
    return np.asarray(np.rint(array / scale) * scale, np.float32)


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_product_in_int8_has_a_scale_for_each_column(is_turned: bool, tmp_path: Path) -> None:
    net = Net()
    weights = net.constant(WEIGHTS.T if is_turned else WEIGHTS)
    net.result(net.layer("MatMul", [net.parameter("x", "2,4"), weights], transpose_b=is_turned))
    (found,) = run_rounded(load(net.save(tmp_path / "net.xml")), {0: X}, "int8")
    np.testing.assert_allclose(found, in_levels(X, None) @ in_levels(WEIGHTS, 0), rtol=1e-5)


def test_a_product_of_integers_stays(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("x", "2,4", "i32"), net.constant(np.arange(12).reshape(4, 3), "i32")]
    net.result(net.layer("MatMul", inputs))
    x = np.arange(8, dtype=np.int32).reshape(2, 4) * 1000
    (found,) = run_rounded(load(net.save(tmp_path / "net.xml")), {0: x}, "int8")
    assert np.array_equal(found, x @ np.arange(12).reshape(4, 3))


def test_the_layers_of_a_loop_are_rounded(tmp_path: Path) -> None:
    """Sums of 100.1, which bf16 has as 100: the first is 100 + 0."""
    model = load(loop_model(tmp_path, 2, 1e6))
    x = f32([[100.1, 0.3]])
    found = run_rounded(model, {0: x}, "bf16")
    assert all(np.array_equal(array, rounded(array, "bf16")) for array in found)
    assert np.array_equal(found[0], rounded(rounded(x, "bf16") + 1, "bf16"))


def test_an_unknown_precision(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Tanh", [net.parameter("x", "2,4")]))
    with pytest.raises(DebugError, match=r'^there is no precision "f8", expected bf16, f16, int8$'):
        run_rounded(load(net.save(tmp_path / "net.xml")), {0: X}, "f8")


def residual(path: Path) -> Loaded:
    """A convolution, resized, beside a product that no layer follows."""
    net = Net()
    x = net.parameter("x", "1,1,4,4")
    conv = net.convolution(x, net.constant(np.ones((1, 1, 1, 1), np.float32)))
    sizes = net.constant([8, 8])
    axes = net.constant([2, 3])
    resized = net.layer(
        "Interpolate", [conv, sizes, axes], opset=11, name="resize", mode="nearest", shape_calculation_mode="sizes"
    )
    net.result(net.layer("Tanh", [resized], name="end"))
    net.result(net.layer("MatMul", [x, net.constant(np.eye(4, dtype=np.float32))], name="product"))
    return load(net.save(path))


def test_layers_that_bf16_rounds(tmp_path: Path) -> None:
    """Layers that lead to an output stay in f32, up to a product or a layer that resizes."""
    plan = residual(tmp_path / "net.xml").plan(AS_WRITTEN)
    names = {plan.steps[number].node.type for number in steps_that_round(plan, "bf16")}
    assert names == {"Convolution", "Interpolate", "MatMul"}
    every = {plan.steps[number].node.type for number in steps_that_round(plan, "bf16", every=True)}
    assert every == names | {"Tanh"}


def marks(path: Path) -> list[str]:
    text = path.read_text()
    return [
        name
        for name, layer in re.findall(r'<layer [^>]*name="([^"]*)"(.*?)</layer>', text, re.DOTALL)
        if "precise" in layer or "keep" in layer or "disable_fp16" in layer
    ]


def test_a_layer_is_marked_once(tmp_path: Path) -> None:
    path, first, second = (tmp_path / f"{name}.xml" for name in ("net", "first", "second"))
    residual(path)
    keep_in_f32(path, first, {"end", "product"})
    keep_in_f32(first, second, {"end", "product"})
    assert first.read_bytes() == second.read_bytes()
    assert marks(first) == ["end", "product"]
    assert marks(path) == []
    assert first.with_suffix(".bin").read_bytes() == path.with_suffix(".bin").read_bytes()


def test_weights_that_stay_where_they_are(tmp_path: Path) -> None:
    """A file that is marked in its place keeps its weights."""
    path = tmp_path / "net.xml"
    residual(path)
    before = path.with_suffix(".bin").read_bytes()
    keep_in_f32(path, path, {"end"})
    assert marks(path) == ["end"]
    assert path.with_suffix(".bin").read_bytes() == before


def test_a_file_that_is_no_xml(tmp_path: Path) -> None:
    path = tmp_path / "net.xml"
    path.write_text("<net")
    with pytest.raises(DebugError, match=r"net\.xml cannot be read: "):
        keep_in_f32(path, tmp_path / "marked.xml", {"end"})


def test_openvino_has_no_int8(tmp_path: Path) -> None:
    model = residual(tmp_path / "net.xml")
    report = rank_layers(model, {0: np.ones((1, 1, 4, 4), np.float32)}, "int8")
    with pytest.raises(
        DebugError, match=r"^OpenVINO has no int8 for a model in f32, expected --precision bf16 or f16$"
    ):
        measured(tmp_path / "net.xml", {0: X}, report)


def test_a_model_that_rounding_does_not_change(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", "2,4", "i32")]))
    with pytest.raises(DebugError, match=r"^the model has no layer that rounding changes$"):
        blame(load(net.save(tmp_path / "net.xml")), "bf16", {0: X.astype(np.int32)})


def test_inputs_in_their_order(tmp_path: Path) -> None:
    model, x = residual(tmp_path / "net.xml"), np.full((1, 1, 4, 4), 1.001, np.float32)
    by_place, in_order = (rank_layers(model, inputs, "bf16") for inputs in ({0: x}, [x]))
    assert in_order.predicted == by_place.predicted > 0
