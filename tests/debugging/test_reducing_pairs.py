"""The part of two models that shows a suspect: constants shrink together, the fault stays, and regions are cut out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import DebugError, ModelSide, Tolerance, blame, write_folder
from irrun.debugging.blames import Blame
from irrun.debugging.cases import layers_of
from irrun.debugging.kinds import TensorDifference, fault_of
from irrun.debugging.reproducing import text
from irrun.debugging.shrinking import constants_of
from irrun.document.writer import Handle
from irrun.graph import Outlet
from irrun.model import Loaded, build, load
from irrun.tensor import Array
from tests.nets import Net

RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.standard_normal((32, 16)).astype(np.float32)
ZERO = RANDOM.integers(100, 150, (32, 1)).astype(np.uint8)
SCALE = (np.abs(WEIGHTS).max(axis=1, keepdims=True) / 100).astype(np.float32)
X = RANDOM.standard_normal((4, 16)).astype(np.float32)


def coded(net: Net, scale: Array, kind: str) -> Handle:
    """Return the weights as f32, as f16 or as u8 with a scale and a zero point for each row."""
    if kind != "u8":
        weights = net.constant(WEIGHTS * (scale / SCALE), kind, name="weights")
        return weights if kind == "f32" else net.layer("Convert", [weights], name="wide", destination_type="f32")
    codes = net.constant(np.clip(np.rint(WEIGHTS / SCALE) + ZERO, 0, 255), "u8", name="codes")
    zero = net.layer("Convert", [net.constant(ZERO, "u8", name="zero")], destination_type="f32")
    wide = net.layer("Subtract", [net.layer("Convert", [codes], destination_type="f32"), zero])
    return net.layer("Multiply", [wide, net.constant(scale, name="scale")])


def product(path: Path, kind: str = "f32", factor: float = 1, start: float = 1) -> Loaded:
    """Write relu(tanh(start * x) @ weights): some of the scales are multiplied by a factor."""
    net = Net()
    scale = SCALE.copy()
    scale[20] *= factor
    x = net.layer("Multiply", [net.parameter("x", "4,16"), net.constant(np.float32([start]))], name="start")
    made = net.layer("MatMul", [net.layer("Tanh", [x]), coded(net, scale, kind)], name="fc", transpose_b=True)
    net.result(net.layer("ReLU", [made], name="relu"))
    return load(net.save(path))


def blamed(first: Loaded, second: Loaded, inputs: dict[int, Array] | None = None) -> Blame:
    given = {0: X} if inputs is None else inputs
    return blame(first, ModelSide(second, given), given)


def test_outputs_of_exchanged_names_are_a_case_of_both_models(tmp_path: Path) -> None:
    def model(path: Path, *names: str) -> Loaded:
        net = Net()
        x = net.parameter("x", "4,16")
        for type, name in zip(("Tanh", "Abs"), names, strict=True):
            net.result(net.layer(type, [x], name=type, tensor=name))
        return load(net.save(path))

    found = blamed(model(tmp_path / "a.xml", "u", "v"), model(tmp_path / "b.xml", "v", "u"))
    assert (found.type, found.reproduces) == ("Result", True)
    np.testing.assert_array_equal(found.answers.theirs[0], np.abs(X))
    np.testing.assert_allclose(found.answers.ours[0], np.tanh(X), rtol=1e-6)


def test_a_layer_that_only_one_model_has(tmp_path: Path) -> None:
    def model(path: Path, factor: float | None) -> Loaded:
        net = Net()
        x = net.parameter("x", "4,16")
        at = net.layer("Multiply", [x, net.constant(np.float32([factor]))], name="extra") if factor else x
        net.result(net.layer("Tanh", [at], name="tanh", tensor="y"))
        return load(net.save(path))

    found = blamed(model(tmp_path / "a.xml", None), model(tmp_path / "b.xml", 2))
    lines = text(found).splitlines()
    assert lines[lines.index("In model:") + 2] == "No layer: the outputs are the inputs."
    assert lines[lines.index("In other:") + 4].startswith("| `extra` | Multiply opset1 | ")


def sizes(model: Loaded) -> list[int]:
    return [model.facts[Outlet(id, 0)].shape.static[0] for id in constants_of(model)]


@pytest.mark.parametrize("kind", ["f32", "f16", "u8"])
@pytest.mark.parametrize("order", [1, -1])
def test_constants_of_both_sides_shrink_together(tmp_path: Path, kind: str, order: int) -> None:
    """A scale of one of 32 rows is wrong: this row, or few with it, is left of codes, zero points and scales."""
    models = [product(tmp_path / "a.xml", kind, factor=3), product(tmp_path / "b.xml")]
    found = blamed(*models[::order])
    assert (found.layer, found.reproduces, len(layers_of(found.case.model))) == ("fc", True, 1)
    assert all(size <= 2 for model in found.case.models for size in sizes(model))
    (port,) = found.case.model.inputs
    assert port.shape[0] == 1
    fault = found.answers.fault
    assert (fault.kind, 0.1 < fault.relative <= 1) == ("error", True)
    assert found.answers.ours[0].shape == found.answers.theirs[0].shape


def quantised(path: Path, high: float) -> Loaded:
    net = Net()
    x = net.layer("Multiply", [net.parameter("x", "8,32"), net.constant(np.float32([2]))], name="twice")
    limits = [net.constant(np.float32([value])) for value in (-4, high, -4, high)]
    made = net.layer("FakeQuantize", [x, *limits], name="fq", levels=256)
    net.result(net.layer("Negative", [made], name="end"))
    return load(net.save(path))


def test_a_clipped_range_stays_clipped(tmp_path: Path) -> None:
    """It does not become a step of rounding, although that would be enough to differ."""
    values = {0: np.random.default_rng(1).standard_normal((8, 32)).astype(np.float32)}
    found = blamed(quantised(tmp_path / "a.xml", 1.5), quantised(tmp_path / "b.xml", 4), values)
    assert (found.layer, found.reproduces) == ("fq", True)
    assert found.answers.fault.kind == "clipping"
    assert found.answers.fault.size > 0.5


def test_a_step_stays_a_step() -> None:
    before = fault_of(np.float32([0, 1, 2, 3, 3]), np.float32([0, 1, 2, 3, 2]))
    assert before == TensorDifference("step", (), 1, 1 / 3)
    assert not TensorDifference("not finite", ("NaN in the first",)).is_like(before)


@pytest.mark.parametrize("order", [1, -1])
def test_a_layer_that_one_side_lacks(tmp_path: Path, order: int) -> None:
    """The region is cut out: the layer on one side, and its input on the other."""

    def chain(name: str, types: list[str]) -> Loaded:
        net = Net()
        at = net.layer("MatMul", [net.parameter("x", "4,16"), net.constant(WEIGHTS[:16])], name="fc")
        for type in types:
            at = net.layer(type, [at], name=type.lower())
        net.result(at)
        return load(net.save(tmp_path / f"{name}.xml"))

    models = [chain("a", ["Sigmoid", "Tanh", "Exp", "Negative"]), chain("b", ["Sigmoid", "Exp", "Negative"])]
    found = blamed(*models[::order])
    assert (found.layer, found.verdict.cause, found.reproduces) == ("tanh", "missing", True)
    assert sorted(len(layers_of(model)) for model in found.case.models) == [0, 1]
    paths = write_folder(found, tmp_path / "report")
    again = [load(path) for path in paths if path.suffix == ".xml"]
    values = {0: np.load(tmp_path / "report" / "model.npz")[again[0].inputs[0].any_name]}
    ours, theirs = (build(model)(values).to_tuple() for model in again)
    assert fault_of(ours[0], theirs[0]).is_like(found.answers.fault)


def test_inputs_that_only_one_side_reads(tmp_path: Path) -> None:
    """Both parts have the inputs of both, so that the same file of inputs fits."""

    def sums(name: str, second: int) -> Loaded:
        net = Net()
        a = [net.layer(type, [net.parameter(type[0], "4,16")], name=type.lower()) for type in ("Tanh", "Sin", "Cos")]
        net.result(net.layer("Negative", [net.layer("Multiply", [a[0], a[second]], name="product")], name="end"))
        net.result(net.layer("Abs", [a[3 - second]], name="other"))
        return load(net.save(tmp_path / f"{name}.xml"))

    values = {place: (place + 1) * X for place in range(3)}
    found = blamed(sums("a", 1), sums("b", 2), values)
    assert (found.verdict.cause, found.reproduces) == ("input", True)
    ports = [[port.any_name for port in model.inputs] for model in found.case.models]
    assert ports[0] == ports[1]
    write_folder(found, tmp_path / "report")
    assert sorted(np.load(tmp_path / "report" / "model.npz")) == sorted(ports[0])
    assert [port.any_name for port in load(tmp_path / "report" / "other.xml").inputs] == ports[1]


def test_a_folder_that_does_not_reproduce_is_not_written(tmp_path: Path) -> None:
    found = blamed(product(tmp_path / "a.xml", factor=3), product(tmp_path / "b.xml"))
    with pytest.raises(DebugError, match="report is not written: no part of the model reproduces the difference"):
        write_folder(replace(found, reproduces=False), tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_the_command_of_the_page_has_the_tolerance(tmp_path: Path) -> None:
    models = product(tmp_path / "a.xml", factor=1.001), product(tmp_path / "b.xml")
    found = blame(models[0], ModelSide(models[1], {0: X}), {0: X}, Tolerance(1e-5, 1e-7))
    write_folder(found, tmp_path / "report")
    page = (tmp_path / "report" / "README.md").read_text()
    assert "irrun compare model.xml other.xml -i model.npz --rtol 1e-05 --atol 1e-07\n" in page
