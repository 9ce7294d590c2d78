"""Shape arithmetic in floats, and on sizes that are one of two, keeps the bounds of what is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import WrittenBody
from irrun.model.loaded import load
from irrun.tensor.element_type import F32
from tests.nets import Handle, Net

SHAPE = "4,?,2..9"


def _f32(net: Net, sizes: Handle) -> Handle:
    return net.layer("Convert", [sizes], destination_type="f32")


def _whole(net: Net, numbers: Handle) -> Handle:
    return net.layer("Convert", [numbers], destination_type="i64")


def _real(type: str, *values: float, **attributes: Any) -> Callable[[Net, Handle], Handle]:
    """Return the chain of a function of floats, with constants, between two Converts."""

    def chain(net: Net, sizes: Handle) -> Handle:
        constants = [net.constant(np.array(values, np.float32))] if values else []
        return _whole(net, net.layer(type, [_f32(net, sizes), *constants], **attributes))

    return chain


def _rounded(type: str, *values: float, opset: int = 1) -> Callable[[Net, Handle], Handle]:
    def chain(net: Net, sizes: Handle) -> Handle:
        numbers = net.layer("Multiply", [_f32(net, sizes), net.constant(np.array(values, np.float32))])
        return _whole(net, net.layer(type, [numbers], opset=opset))

    return chain


def _subtracted(net: Net, sizes: Handle) -> Handle:
    return _whole(net, net.layer("Subtract", [net.constant(np.array([20, 30, 40], np.float32)), _f32(net, sizes)]))


def _gathered(net: Net, sizes: Handle) -> Handle:
    first = net.layer("Gather", [_f32(net, sizes), net.constant(np.array([2])), net.constant(0)], opset=8)
    joined = net.layer("Concat", [first], axis=0)
    three = net.layer("Multiply", [joined, net.constant(np.float32(3))])
    return net.layer("Concat", [_whole(net, three), net.constant(np.array([7]))], axis=0)


def _powers(net: Net, sizes: Handle) -> Handle:
    return net.layer("Power", [sizes, net.constant(2)])


CHAINS: dict[str, tuple[Callable[[Net, Handle], Handle], str]] = {
    "doubled": (_real("Multiply", 2), "[8,?,4..18]"),
    "by several factors": (_real("Multiply", 2, 0.5, 1.5), "[8,?,3..13]"),
    "down": (_rounded("Floor", 0.3, 0.5, 1.5), "[1,?,3..13]"),
    "up": (_rounded("Ceiling", 0.3, 0.5, 1.5), "[2,?,3..14]"),
    "nearest": (_rounded("Round", 0.3, 0.5, 0.7, opset=5), "[1,?,1..6]"),
    "divided": (_real("Divide", 4), "[1,?,0..2]"),
    "subtracted": (_subtracted, "[16,0..30,31..38]"),
    "clipped": (_real("Clamp", min=3, max=5), "[4,3..5,3..5]"),
    "gathered": (_gathered, "[6..27,7]"),
    "squared": (_real("Power", 2), "[16,?,4..81]"),
    "squared integers": (_powers, "[16,?,4..81]"),
    "a negative power": (_real("Power", -1), "[0,?,0]"),
    "an inverse root": (_real("Power", -0.5), "[0,?,0]"),
}


def _net(chain: Callable[[Net, Handle], Handle]) -> Net:
    net = Net()
    sizes = net.layer("ShapeOf", [net.parameter("x", SHAPE)], opset=3, output_type="i64")
    net.result(net.layer("Broadcast", [net.constant(1.0), chain(net, sizes)], opset=3, mode="numpy"))
    return net


@pytest.mark.parametrize("name", CHAINS)
def test_bounds(tmp_path: Path, name: str) -> None:
    chain, expected = CHAINS[name]
    (output,) = load(_net(chain).save(tmp_path / "net.xml")).outputs
    assert str(output.partial_shape) == expected


@pytest.mark.parametrize("name", CHAINS)
def test_results_are_within_bounds(tmp_path: Path, name: str) -> None:
    chain, _ = CHAINS[name]
    model = _net(chain)
    compiled = model.compile(tmp_path)
    (output,) = compiled.outputs
    for middle, last in itertools.product((1, 2, 7), (2, 5, 9)):
        (result,) = compiled([np.zeros((4, middle, last), np.float32)]).values()
        assert output.partial_shape.admits(result.shape)


def _looked_up(net: Net, size: Handle) -> Handle:
    table = net.constant(np.array([10, 1, 5], np.float32))
    return net.layer("Gather", [table, size, net.constant(0)], opset=8)


def _divided(net: Net, size: Handle) -> Handle:
    divisor = net.layer("Subtract", [_f32(net, size), net.constant(np.float32(0.5))])
    return net.layer("Add", [net.layer("Divide", [net.constant(np.float32(6)), divisor]), net.constant(np.float32(13))])


@pytest.mark.parametrize("chain", [_looked_up, _divided])
def test_what_is_not_monotonic_has_no_bounds(tmp_path: Path, chain: Callable[[Net, Handle], Handle]) -> None:
    """The numbers of a table have no order, and a quotient leaps where its divisor is zero."""
    net = Net()
    size = net.layer("ShapeOf", [net.parameter("x", "0..2")], opset=3, output_type="i64")
    number = _whole(net, chain(net, size))
    net.result(net.layer("Broadcast", [net.constant(1.0), number], opset=3, mode="numpy"))
    compiled = net.compile(tmp_path)
    assert str(compiled.outputs[0].partial_shape) == "[?]"
    found = [next(iter(compiled([np.zeros(count, np.float32)]).values())).shape for count in range(3)]
    assert found == [(10,), (1,), (5,)] if chain is _looked_up else found == [(1,), (25,), (17,)]


@pytest.mark.parametrize(
    ("type", "expected"),
    [("Select", "[3..4,?,2..9]"), ("Convert", "[0..1,0..1,0..1]")],
)
def test_an_unknown_condition(tmp_path: Path, type: str, expected: str) -> None:
    net = Net()
    sizes = net.layer("ShapeOf", [net.parameter("x", SHAPE)], opset=3, output_type="i64")
    condition = net.parameter("condition", "3", "boolean")
    if type == "Select":
        chosen = net.layer("Select", [condition, sizes, net.constant(np.array([3, 3, 6]))])
    else:
        chosen = net.layer("Convert", [condition], destination_type="i64")
    net.result(net.layer("Broadcast", [net.constant(1.0), chosen], opset=3, mode="numpy"))
    (output,) = load(net.save(tmp_path / "net.xml")).outputs
    assert str(output.partial_shape) == expected


def test_bounds_do_not_enter_bodies(tmp_path: Path) -> None:
    """A float that each iteration doubles has no bounds."""
    net = Net()
    sizes = net.layer("ShapeOf", [net.parameter("x", "2..9")], opset=3, output_type="i64")
    start = _f32(net, sizes)
    body = net.body()
    value = body.parameter("value", "1")
    doubled = body.ir.result(body.layer("Multiply", [value, body.constant(np.float32(2))]))
    going = body.ir.result(body.constant(True, "boolean"))
    written = WrittenBody(
        body.ir,
        [{"external_port_id": 2, "internal_layer_id": 0}],
        [
            {"external_port_id": 3, "internal_layer_id": doubled},
            {"external_port_id": -1, "internal_layer_id": going, "purpose": "execution_condition"},
        ],
        [(doubled, 0)],
    )
    inputs = [net.constant(3), net.constant(True, "boolean"), start]
    (result,) = net.layers("Loop", inputs, [(F32, "1")], opset=5, bodies={"body": written})
    net.result(net.layer("Broadcast", [net.constant(1.0), _whole(net, result)], "?", opset=3, mode="numpy"))
    compiled = net.compile(tmp_path)
    assert str(compiled.outputs[0].partial_shape) == "[?]"
    (output,) = compiled([np.zeros(5, np.float32)]).values()
    assert output.shape == (40,)
