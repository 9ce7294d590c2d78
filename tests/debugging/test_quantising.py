"""Losses by quantisation: usual errors of weights and activations, and those that no quantiser explains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.debugging.levels import QUANTISATION, LayerInputs, Loss, quantiser_noise, tensor_loss
from irrun.debugging.places import Passer
from irrun.debugging.quantising import constant_loss, judge, step_of
from irrun.debugging.replaying import Layers
from irrun.document.writer import Handle
from irrun.graph import Outlet
from irrun.model import load
from irrun.tensor import Array
from tests.cases import f32
from tests.nets import Net

STEP = 0.125
CODES = np.random.default_rng(1).integers(-100, 100, (8, 8))
WEIGHTS = (CODES * STEP).astype(np.float32) + f32(0.01)
SAME_WEIGHTS = Loss("", "", 0.0)
IN_BYTES = Loss(QUANTISATION, "weights rounded to i8", 1.0)

Constant = Callable[[Net], Handle]


def layers(path: Path, weights: Constant, x: str = "2,8") -> tuple[Layers, int]:
    """The layers of a product with these weights, and the product."""
    net = Net()
    net.result(net.layer("MatMul", [net.parameter("x", x), weights(net)], name="p"))
    model = load(net.save(path))
    (id,) = (node.id for node in model.graph.ordered() if node.name == "p")
    return Layers(model), id


def plain(values: Array) -> Constant:
    return lambda net: net.constant(values, "f32")


def coded(codes: Array, scale: float | Array = STEP, zero: int | None = None, type: str = "i8") -> Constant:
    def build(net: Net) -> Handle:
        at = net.layer("Convert", [net.constant(codes, type)], destination_type="f32")
        if zero is not None:
            at = net.layer("Subtract", [at, net.constant(f32(zero))])
        return net.layer("Multiply", [at, net.constant(np.asarray(scale, np.float32))])

    return build


def moved(codes: Array, type: str) -> Constant:
    """Codes that are stored in another shape or order than they are read in."""

    def build(net: Net) -> Handle:
        at = net.layer("Convert", [net.constant(codes, "i8")], destination_type="f32")
        order = [1, 0] if type == "Transpose" else [8, 8]
        at = net.layer(type, [at, net.constant(order)], **({} if type == "Transpose" else {"special_zero": False}))
        return net.layer("Multiply", [at, net.constant(f32(STEP))])

    return build


def levels(limit: float, stored: tuple[int, ...] | None = None) -> Constant:
    def build(net: Net) -> Handle:
        values = WEIGHTS if stored is None else WEIGHTS.reshape(stored)
        limits = [net.constant(f32(value)) for value in (-limit, limit, -limit, limit)]
        at = net.layer("FakeQuantize", [net.constant(values), *limits], levels=256)
        return at if stored is None else net.layer("Reshape", [at, net.constant([8, 8])], special_zero=False)

    return build


def levels_by_row(net: Net) -> Handle:
    """Four rows with ranges of their own, read as eight."""
    limits = np.abs(WEIGHTS.reshape(4, 16)).max(1, keepdims=True)
    inputs = [net.constant(values) for values in (WEIGHTS.reshape(4, 16), -limits, limits, -limits, limits)]
    fake = net.layer("FakeQuantize", inputs, levels=256)
    return net.layer("Reshape", [fake, net.constant([8, 8])], special_zero=False)


def levels_of_a_half(net: Net) -> Handle:
    """Four rows with levels beside four without."""
    limits = np.abs(WEIGHTS[:4]).max(1, keepdims=True)
    fake = net.layer(
        "FakeQuantize", [net.constant(a) for a in (WEIGHTS[:4], -limits, limits, -limits, limits)], levels=256
    )
    return net.layer("Concat", [fake, net.constant(WEIGHTS[4:])], axis=0)


def negated(net: Net) -> Handle:
    at = net.layer("Convert", [net.constant(-CODES, "i8")], destination_type="f32")
    return net.layer("Multiply", [net.layer("Negative", [at]), net.constant(f32(STEP))])


def off(*places: tuple[int, int], by: int = 1) -> Array:
    """The codes, some of them off by steps."""
    codes = CODES.copy()
    for place in places:
        codes[place] += by
    return codes


LOSSES: dict[str, tuple[Constant, Constant, Loss | None]] = {
    "the same": (plain(WEIGHTS), plain(WEIGHTS), SAME_WEIGHTS),
    "half a step": (plain(WEIGHTS), coded(CODES), IN_BYTES),
    "a zero point": (plain(WEIGHTS), coded(CODES + 3, zero=3), IN_BYTES),
    "no quantiser": (plain(WEIGHTS), plain(WEIGHTS + f32(0.05)), None),
    "another shape": (plain(WEIGHTS), plain(WEIGHTS[:, :4]), None),
    "an infinity": (plain(WEIGHTS), plain(np.where(CODES[0, 0] == CODES, np.inf, WEIGHTS)), None),
    "few elements off by steps": (plain(WEIGHTS), coded(off((0, 1), (3, 4), by=2)), IN_BYTES),
    "one element off by many": (plain(WEIGHTS), coded(off((0, 1), by=9)), None),
    "a row off by steps": (plain(WEIGHTS), coded(off(*[(2, at) for at in range(8)], by=2)), None),
    "many elements off by steps": (plain(WEIGHTS), coded(off(*[(at, at) for at in range(8)], by=2)), None),
    "stored transposed": (plain(WEIGHTS), moved(CODES.T, "Transpose"), IN_BYTES),
    "stored in another shape": (plain(WEIGHTS), moved(CODES.reshape(4, 16), "Reshape"), IN_BYTES),
    "levels": (plain(WEIGHTS), levels(13), Loss(QUANTISATION, "weights rounded to levels", 1.0)),
    "levels in another shape": (
        plain(WEIGHTS),
        levels(13, (4, 16)),
        Loss(QUANTISATION, "weights rounded to levels", 1.0),
    ),
    "levels of rows": (plain(WEIGHTS), levels_by_row, Loss(QUANTISATION, "weights rounded to levels", 1.0)),
    "levels of a half": (plain(WEIGHTS), levels_of_a_half, None),
    "codes behind a layer that is no scale": (plain(WEIGHTS), negated, None),
    "clipped levels": (plain(WEIGHTS), levels(2), None),
    "eight bits of a float": (
        plain(WEIGHTS),
        coded(WEIGHTS, 1.0, type="f8e4m3"),
        Loss(QUANTISATION, "weights rounded to few bits", 1.0),
    ),
    "other numbers in such a float": (plain(WEIGHTS), coded(-WEIGHTS, 1.0, type="f8e4m3"), None),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_constants_lose(name: str, tmp_path: Path) -> None:
    ours, theirs, expected = LOSSES[name]
    pair = layers(tmp_path / "a.xml", ours), layers(tmp_path / "b.xml", theirs)
    assert constant_loss(*pair[0], *pair[1], 1) == expected
    assert constant_loss(*pair[1], *pair[0], 1) == expected


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (coded(CODES, 0.5, zero=4), 0.5),
        (coded(CODES, f32(np.arange(1, 9))), np.broadcast_to(np.arange(1, 9), (8, 8))),
        (moved(CODES.T, "Transpose"), STEP),
        (levels(13), 26 / 255),
        (levels(13, (4, 16)), 26 / 255),
        (levels_by_row, (2 * np.abs(WEIGHTS).reshape(4, 16).max(1) / 255).repeat(2)[:, None]),
        (plain(WEIGHTS), None),
    ],
)
def test_the_step_of_a_constant(weights: Constant, expected: float | None, tmp_path: Path) -> None:
    found = step_of(*layers(tmp_path / "a.xml", weights), 1)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        np.testing.assert_allclose(np.broadcast_to(found, (8, 8)), np.broadcast_to(expected, (8, 8)), rtol=1e-5)


def test_one_code_of_many_numbers_has_no_step(tmp_path: Path) -> None:
    """A zero point of one element is not what the weights are stored as."""

    def build(net: Net) -> Handle:
        zero = net.layer("Convert", [net.constant(np.array(3), "i8")], destination_type="f32")
        return net.layer("Subtract", [net.constant(WEIGHTS), zero])

    assert step_of(*layers(tmp_path / "a.xml", build), 1) is None


def quantiser(path: Path, limits: tuple[float, ...], steps: int = 256) -> tuple[Layers, int]:
    net = Net()
    inputs = [net.parameter("x", "4,16"), *(net.constant(f32(limit)) for limit in limits)]
    net.result(net.layer("FakeQuantize", inputs, name="fq", levels=steps))
    model = load(net.save(path))
    (id,) = (node.id for node in model.graph.ordered() if node.name == "fq")
    return Layers(model), id


X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(4, 16)


def rounded(x: Array, low: float, high: float, steps: int = 256) -> Array:
    step = (high - low) / (steps - 1)
    return np.asarray(np.round((np.clip(x, low, high) - low) / step) * step + low, np.float32)


def test_the_noise_of_a_quantiser(tmp_path: Path) -> None:
    found = quantiser_noise(*quantiser(tmp_path / "a.xml", (-1, 1, -1, 1)), X, rounded(X, -1, 1))
    assert found == pytest.approx(1, abs=0.2)
    four = quantiser_noise(*quantiser(tmp_path / "b.xml", (-1, 1, -1, 1), 16), X, rounded(X, -1, 1, 16))
    assert four == pytest.approx(17, abs=3)


@pytest.mark.parametrize(
    ("limits", "array", "result"),
    [
        ((-1, 1, -1, 1), X, rounded(X, -1, 1)[:2]),
        ((-1, 1, -1, 1), X[:0], X[:0]),
        ((-1, 1, -2, 2), X, rounded(X, -1, 1)),
        ((-0.5, 0.5, -0.5, 0.5), X, rounded(X, -0.5, 0.5)),
        ((-1, 1, -1, 1), X, rounded(X, -1, 1) + f32(0.1)),
    ],
    ids=["another shape", "no elements", "other limits of the result", "a range that clips", "other values"],
)
def test_no_sound_quantiser(limits: tuple[float, ...], array: Array, result: Array, tmp_path: Path) -> None:
    assert quantiser_noise(*quantiser(tmp_path / "a.xml", limits), array, result) is None


def test_a_slice_that_becomes_one_level(tmp_path: Path) -> None:
    """The last row is small beside the range of the tensor."""
    at = quantiser(tmp_path / "a.xml", (-1, 1, -1, 1))
    small = X * f32([[1], [1], [1], [1e-3]])
    levels = rounded(small, -1, 1)
    assert np.ptp(levels[3]) == 0
    assert quantiser_noise(*at, small, levels) is not None
    assert quantiser_noise(*at, small, levels, slices=True) is None
    assert quantiser_noise(*at, X, rounded(X, -1, 1), slices=True) is not None


def test_inputs_that_cannot_be_judged(tmp_path: Path) -> None:
    """A constant on one side only, and a tensor that comes from no quantiser."""
    net = Net()
    net.result(net.layer("MatMul", [net.parameter("x", "2,8"), net.parameter("w", "8,8")], name="p"))
    model = load(net.save(tmp_path / "b.xml"))
    (id,) = (node.id for node in model.graph.ordered() if node.name == "p")
    constant, fed = layers(tmp_path / "a.xml", plain(WEIGHTS)), (Layers(model), id)
    x, nothing = np.ones((2, 8), np.float32), {}.get

    def judged(mine: Array | None, its: Array | None, w: Array | None = None) -> Loss | None:
        return judge(LayerInputs(*constant, (mine, None), nothing), LayerInputs(*fed, (its, w), nothing))

    assert judged(x, x) is None
    assert judged(x, x, WEIGHTS) is None
    assert judged(x, x + 1) is None
    assert judged(x, None) is None
    own = LayerInputs(*constant, (x, None), nothing)
    assert judge(own, own) is None
    values = {Outlet(model.graph.parameters[0], 0): x + 1}
    assert judge(own, LayerInputs(*fed, (x + 1, WEIGHTS), values.get)) is None


def test_an_input_that_both_sides_leave_out(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("CumSum", [net.parameter("x", "8")], opset=3, name="sum"))
    model = load(net.save(tmp_path / "a.xml"))
    (id,) = (node.id for node in model.graph.ordered() if node.name == "sum")
    x = np.ones(8, np.float32)
    read = LayerInputs(Layers(model), id, (x, None), {}.get)
    assert Layers(model).sources(id)[1:] == [None]
    assert judge(read, read) is None


def test_a_tensor_that_begins_far_away(tmp_path: Path) -> None:
    """Eight scales are followed, not nine."""

    def loss(scales: int) -> Loss | None:
        net = Net()
        at, limits = net.parameter("x", "4,16"), [net.constant(f32(limit)) for limit in (-1, 1, -1, 1)]
        at = net.layer("FakeQuantize", [at, *limits], levels=256)
        for number in range(scales):
            at = net.layer("Multiply", [at, net.constant(f32(2.0 if number % 2 else 0.5))])
        net.result(net.layer("MatMul", [at, net.normal(16, 8)], name="p"))
        model = load(net.save(tmp_path / f"{scales}.xml"))
        side, values = Layers(model), dict[Outlet, Array]()
        side.run({0: X}, Passer(values.__setitem__))
        (id,) = (node.id for node in model.graph.ordered() if node.name == "p")
        values[Outlet(model.graph.parameters[0], 0)] = X
        (before, _) = side.sources(id)
        assert before is not None
        return tensor_loss(X, LayerInputs(side, id, (values[before], None), values.get), 0)

    found = loss(6)
    assert found is not None
    assert (found.kind, found.what) == (QUANTISATION, "activations rounded to levels")
    assert loss(8) is None
