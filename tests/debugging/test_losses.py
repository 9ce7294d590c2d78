"""Claims about coarser numbers: what they explain, and what they do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.cli.comparing import claims
from irrun.debugging import Tolerance, compare
from irrun.debugging.diagnosing import diagnose_layers
from irrun.debugging.layers import LayerComparison, LayerDifference
from irrun.debugging.metrics import errors
from irrun.debugging.verdicts import Suspect, Verdict
from irrun.document.writer import Handle
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.debugging.pieces import WEIGHTS, Build, X, activated, net, nothing, product, scaled, shifted
from tests.nets import Net


def test_equal_and_harmless(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", product(WEIGHTS, "p"))
    assert compare(model, net(tmp_path / "b.xml", product(WEIGHTS, "q"), "other_"), X).verdict == Verdict("equal")
    step = f32(np.abs(WEIGHTS).max() / 7)

    def coded(made: Net, x: Handle) -> Handle:
        codes = made.constant(np.clip(np.round(WEIGHTS / step), -8, 7), "i4")
        floats = made.layer("Convert", [codes], "4,4", destination_type="f32")
        return made.layer("MatMul", [x, made.layer("Multiply", [floats, made.constant(step)])], name="p")

    found = compare(model, net(tmp_path / "c.xml", coded), X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    assert found.reason.startswith("weights rounded to i4 in 1 layer")


@pytest.mark.parametrize(("made", "type"), [(scaled, "Multiply"), (activated, "Gelu")])
def test_a_layer_that_a_quantised_model_lacks(made: Callable[..., Build], type: str, tmp_path: Path) -> None:
    """The fault is the layer, not the quantiser behind it."""
    pair = [net(tmp_path / f"{flag}.xml", made("lacking", quantised=flag), str(flag)) for flag in (False, True)]
    (first,), (second,) = compare(*pair, X).verdict.suspects, compare(*reversed(pair), X).verdict.suspects
    assert (first.name, first.type, first.cause) == ("lacking", type, "missing")
    assert (second.other, second.cause) == ("lacking", "missing")


def test_weights_in_f16_before_what_they_are_added_to(tmp_path: Path) -> None:
    values = f32([1 / 3, 200.1, -1 / 7, 0.1])

    def narrow(made: Net, x: Handle) -> Handle:
        halves = made.layer("Convert", [made.constant(values, "f16")], "4", destination_type="f32")
        return made.layer("Add", [halves, x], name="b")

    pair = net(tmp_path / "a.xml", shifted(values, "a")), net(tmp_path / "b.xml", narrow, "other_")
    found = compare(*pair, X, Tolerance(0, 1e-6)).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "rounding", ())
    assert found.reason.startswith("constants rounded to f16 in 1 layer")


def test_a_range_beside_values_that_are_far_from_zero(tmp_path: Path) -> None:
    """Levels that include zero are no fault, though the values need few of them; neither are few clipped elements."""

    def quantised(high: float) -> Build:
        def build(made: Net, x: Handle) -> Handle:
            far = made.layer("Add", [x, made.constant(f32(100))])
            limits = [made.constant(f32(limit)) for limit in (0, high, 0, high)]
            fake = made.layer("FakeQuantize", [far, *limits], name="f", levels=256)
            return made.layer("MatMul", [fake, made.constant(WEIGHTS / 100)], name="p")

        return build

    def exact(made: Net, x: Handle) -> Handle:
        return made.layer("MatMul", [made.layer("Add", [x, made.constant(f32(100))]), made.constant(WEIGHTS / 100)])

    found = compare(net(tmp_path / "a.xml", exact), net(tmp_path / "b.xml", quantised(112), "other_"), X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    found = compare(net(tmp_path / "a.xml", exact), net(tmp_path / "c.xml", quantised(60), "other_"), X).verdict
    assert [(item.other, item.cause) for item in found.suspects] == [("f", "quantisation")]


def test_a_step_of_rounding_accuses_nobody(tmp_path: Path) -> None:
    def levels(made: Net, x: Handle) -> Handle:
        limits = [made.constant(f32(value)) for value in (0, 255, 0, 255)]
        return made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)

    model = net(tmp_path / "a.xml", levels)
    (id,) = (node.id for node in model.graph.ordered() if node.name == "fq")
    ours, theirs = f32([1, 2, 3, 4]), f32([1, 2, 3, 5])

    def claimed(other: Array) -> Verdict:
        found = errors(ours, other)
        item = LayerDifference("fq", "FakeQuantize", 0, id, "fq", "name", (4,), "", True, True, found, found)
        layers = LayerComparison((item,), (ours,), (other,))
        return diagnose_layers(model, layers, "OpenVINO", [ours], [other], Tolerance())

    assert claimed(theirs) == Verdict("different", (), "rounding", '"fq": one step in 1 of 4 elements')
    (suspect,) = claimed(theirs * 2).suspects
    assert isinstance(suspect, Suspect)
    assert (suspect.name, suspect.cause) == ("fq", "implementation")
    assert suspect.what.startswith("known departures: OpenVINO's CPU plugin returns the lower limit for NaN (instead: ")


def test_what_quantised_weights_lose(tmp_path: Path) -> None:
    """The product with the coarser weights is first; a sound quantiser is not suspected."""

    def chain(steps: tuple[float, float]) -> Build:
        def build(made: Net, x: Handle) -> Handle:
            for number, step in enumerate(steps):
                weights = made.constant(WEIGHTS, name=f"w{number}")
                if step:
                    codes = made.constant(np.round(WEIGHTS / step), "i8", name=f"codes{number}")
                    wide = made.layer("Convert", [codes], destination_type="f32")
                    weights = made.layer("Multiply", [wide, made.constant(f32(step))])
                x = made.layer("MatMul", [x, weights], name=f"{'q' if step else ''}product{number}")
            return x

        return build

    exact, coarse = net(tmp_path / "a.xml", chain((0, 0))), net(tmp_path / "b.xml", chain((0.02, 0.05)))
    found = compare(exact, coarse, X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    assert [(item.name, item.other, item.what) for item in found.losses] == [
        ("product1", "qproduct1", "weights rounded to i8"),
        ("product0", "qproduct0", "weights rounded to i8"),
    ]
    assert found.losses[0].error > found.losses[1].error > 0
    assert found.as_dict()["losses"][0]["what"] == "weights rounded to i8"
    largest = compare(coarse, exact, X).verdict.losses[0]
    assert (largest.name, largest.other) == ("qproduct1", "product1")
    _, line, _ = claims(found.as_dict())
    where = 'MatMul "product1" beside "qproduct1"'
    assert line == f"loses {found.losses[0].error:.2g}, as expected: {where}, weights rounded to i8"


@pytest.mark.parametrize(
    ("low", "high", "clipped"),
    [(0, 2, "62 % at the lower end and 12 % at the upper end"), (-4, 1, "25 % at the upper end")],
)
def test_a_range_that_clips(tmp_path: Path, low: float, high: float, clipped: str) -> None:
    """The layer before it has the outputs -3, -2, -1, -0.5, -0.25, 0.5, 1.5 and 3."""

    def levels(made: Net, x: Handle) -> Handle:
        limits = [made.constant(f32(value)) for value in (low, high, low, high)]
        return made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)

    def model(name: str, build: Build) -> Loaded:
        made = Net()
        at = made.layer("Negative", [made.parameter("x", "2,4")], name="first")
        made.result(made.layer("Tanh", [build(made, at)], tensor="y"))
        return load(made.save(tmp_path / f"{name}.xml"))

    inputs = {0: -f32([[-3, -2, -1, -0.5], [-0.25, 0.5, 1.5, 3]])}
    (suspect,) = compare(model("a", nothing), model("b", levels), inputs).verdict.suspects
    assert (suspect.other, suspect.cause) == ("fq", "quantisation")
    assert suspect.what == f"FakeQuantize fq loses more than its levels explain; clipped: {clipped}"


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_factor_in_weights_of_f16(tmp_path: Path, *, is_turned: bool) -> None:
    """One side has a factor in the weights and takes it back, the other one has them in f16: a wrong scale is told."""

    def product_with(scale: float, *, moved: bool) -> Build:
        def build(made: Net, x: Handle) -> Handle:
            x = made.layer("Multiply", [x, made.constant(f32([1, 2, -1, scale]), name="by")], name="scaled")
            if moved:
                at = made.layer("MatMul", [x, made.constant(4 * WEIGHTS)], name="p")
                return made.layer("Multiply", [at, made.constant(f32(0.25))], name="back")
            halves = made.layer("Convert", [made.constant(WEIGHTS, "f16")], "4,4", destination_type="f32")
            return made.layer("MatMul", [x, halves], name="p")

        return build

    pair = [net(tmp_path / "a.xml", product_with(3, moved=False)), net(tmp_path / "b.xml", product_with(3, moved=True))]
    wrong = net(tmp_path / "c.xml", product_with(2, moved=True))
    found = compare(*(reversed(pair) if is_turned else pair), X, Tolerance(0, 1e-6)).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "rounding", ())
    assert found.reason.startswith("constants rounded to f16 in 1 layer")
    found = compare(*((wrong, pair[0]) if is_turned else (pair[0], wrong)), X, Tolerance(0, 1e-6)).verdict
    assert [(item.name, item.other, item.cause) for item in found.suspects] == [("scaled", "scaled", "constant")]


@pytest.mark.parametrize("is_turned", [False, True])
def test_small_errors_at_a_quantiser(tmp_path: Path, *, is_turned: bool) -> None:
    """Halves are rounded to even, and slightly more up: 0.5, 2.5, 4.5 and 6.5 are a step apart."""

    def levels(shift: float) -> Build:
        def build(made: Net, x: Handle) -> Handle:
            at = made.layer("Add", [x, made.constant(f32(shift))], name="shift")
            limits = [made.constant(f32(value)) for value in (0, 15, 0, 15)]
            return made.layer("FakeQuantize", [at, *limits], name="fq", levels=16)

        return build

    def model(name: str, shift: float) -> Loaded:
        made = Net()
        made.result(made.layer("Tanh", [levels(shift)(made, made.parameter("x", "2,4"))], tensor="y"))
        return load(made.save(tmp_path / f"{name}.xml"))

    pair = model("a", 0.5), model("b", 0.50001)
    found = compare(*(pair[::-1] if is_turned else pair), {0: f32(np.arange(8).reshape(2, 4))}).verdict
    reason = 'each layer agrees for equal inputs; small errors grow; FakeQuantize "fq": one step in 4 of 8 elements'
    assert found == Verdict("different", cause="rounding", reason=reason)
