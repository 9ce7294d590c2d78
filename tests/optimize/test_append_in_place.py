"""Variables that grow in place, and which patterns are not taken for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.runtime.state import State
from irrun.tensor.element_type import I32, I64
from tests.engines import TIERS
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import types

ONLY = ["append-in-place"]


def read(net: Net, init: Handle, shape: str = "?,3,?,4") -> Handle:
    declared = {"variable_id": "v", "variable_type": "f32", "variable_shape": shape}
    return net.layer("ReadValue", [init], shape, 6, **declared)


def grows(net: Net, axis: int = 2, *, gathered: bool = True, reversed: bool = False, assigned: bool = True) -> None:
    """The variable holds [2, 3, 5, 4] at first; what is added has the same size along all axes but one."""
    shape = "?,?,?,?"
    past = read(net, net.normal(2, 3, 5, 4), shape)
    if gathered:
        order = net.parameter("order", "?", I32)
        past = net.layer("Gather", [past, order, net.constant(np.array(0))], shape, 8, batch_dims=0)
    new = net.layer("Exp", [net.parameter("x", shape)], shape)
    whole = net.layer("Concat", [new, past] if reversed else [past, new], shape, axis=axis)
    net.layer("Assign", [whole if assigned else net.layer("Negative", [whole], shape)], shape, 6, variable_id="v")
    net.result(net.layer("Tanh", [whole], shape))


def inputs(net: Net, axis: int, run: int, *, gathered: bool = True) -> dict[str, Any]:
    size = [2, 3, 5, 4]
    size[axis] = 1 + run % 2
    given: dict[str, Any] = {"x": net.random.standard_normal(size, dtype=np.float32)}
    if gathered:
        given["order"] = np.array([1, 0] if run == 3 else [0, 1], np.int32)
    return given


@merged()
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        ({}, {"FusedAppend": 1}),
        ({"axis": 1}, {"FusedAppend": 1}),
        ({"axis": 3}, {"FusedAppend": 1}),
        ({"axis": -2}, {"FusedAppend": 1}),
        ({"gathered": False}, {"FusedAppend": 1}),
        ({"gathered": False, "axis": 0}, {"FusedAppend": 1}),
        ({"reversed": True}, {"ReadValue": 1, "Gather": 1, "Concat": 1}),
        ({"assigned": False}, {"ReadValue": 1, "Gather": 1, "Concat": 1, "Negative": 1}),
    ],
    ids=str,
)
def test_growing(tmp_path: Path, tier: str, kind: dict[str, Any], steps: dict[str, int]) -> None:
    net = Net()
    grows(net, **kind)
    compiled = net.compile(tmp_path, *ONLY, TIER=tier)
    assert types(compiled) == {**steps, "Exp": 1, "Assign": 1, "Tanh": 1}
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"}).session()
    requests = [compiled.session(), net.compile(tmp_path, TIER=tier).session()]
    axis, gathered = kind.get("axis", 2), kind.get("gathered", True)
    for run in range(7):
        given = inputs(net, axis, run, gathered=gathered)
        expected = plain.run(given)[0]
        for request in requests:
            np.testing.assert_allclose(request.run(given)[0], expected, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(*(next(iter(one.state.values.values())) for one in (request, plain)), rtol=1e-5)


@merged()
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("place", "gathers"), [(2, 1), (-1, 2), (0, 2)])
def test_sizes_are_read_without_a_copy(tmp_path: Path, tier: str, place: int, gathers: int) -> None:
    net, shape = Net(), "?,?,?,?"
    order, axis = net.parameter("order", "?", I32), net.constant(np.array(0))
    past = net.layer("Gather", [read(net, net.normal(2, 3, 5, 4), shape), order, axis], shape, 8, batch_dims=0)
    sizes = net.layers("ShapeOf", [past], [(I64, "4")], 3, output_type="i64")[0]
    net.result(net.layers("Gather", [sizes, net.constant(np.array([place])), axis], [(I64, "1")], 8, batch_dims=0)[0])
    compiled = net.compile(tmp_path, *ONLY, TIER=tier)
    assert types(compiled) == {"ReadValue": 1, "ShapeOf": 1, "Gather": gathers}
    session = compiled.session()
    for rows in ([0, 1], [1], [1, 0, 1]):
        np.testing.assert_array_equal(
            session.run({"order": np.array(rows, np.int32)})[0], [(len(rows), 3, 5, 4)[place]]
        )


def test_what_is_read_stays_as_it_was() -> None:
    state = State()
    first = state.extend("v", np.zeros((2, 0), np.float32), (2, 3), 1)
    first[...] = 1
    state.write("v", first)
    state.commit()
    second = state.extend("v", state.read("v", first), (2, 1), 1)
    second[:, 3:] = 2
    assert np.shares_memory(first, second)
    state.discard()
    again = state.extend("v", state.read("v", first), (2, 1), 1)
    again[:, 3:] = 3
    assert not np.shares_memory(again, second)
    assert (first == 1).all()
    assert (second[:, 3:] == 2).all()
    with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(1, 1\) cannot be joined along axis 1"):
        state.extend("v", state.read("v", first), (1, 1), 1)


def test_room_runs_out() -> None:
    state = State()
    value = np.zeros((1, 0), np.float32)
    buffers = set()
    for number in range(2000):
        state.write("v", state.extend("v", state.read("v", value), (1, 1), 1))
        state._written["v"][0, number] = number
        state.commit()
        buffers.add(id(state.values["v"].base))
    np.testing.assert_array_equal(state.values["v"], np.arange(2000, dtype=np.float32)[None])
    assert len(buffers) < 8


def other_net(kind: str) -> Net:
    """Append to a variable in a way that is not the pass's."""
    net, shape = Net(), "?,?,?,?"
    past = read(net, net.normal(2, 3, 5, 4), shape)
    new = net.layer("Exp", [net.parameter("x", shape)], shape)
    parts, axis = [past, new], 2
    if kind == "third part":
        parts = [past, new, new]
    elif kind in ("gather of heads", "constant order"):
        order = net.constant(np.array([1, 0])) if kind == "constant order" else net.parameter("order", "?", I32)
        along = 0 if kind == "constant order" else 1
        parts[0] = net.layer("Gather", [past, order, net.constant(np.array(along))], shape, 8, batch_dims=0)
    whole = net.layer("Concat", parts, shape, axis=axis)
    net.layer("Assign", [whole], shape, 6, variable_id="v")
    net.result(whole)
    return net


@pytest.mark.parametrize("kind", ["third part", "gather of heads", "constant order"])
def test_other_ways_to_append_are_left_alone(tmp_path: Path, kind: str) -> None:
    net = other_net(kind)
    alone = net.compile(tmp_path, *ONLY, TIER="numpy")
    assert "FusedAppend" not in types(alone)
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
    sessions = [item.session() for item in (alone, plain)]
    for run in range(3):
        given = inputs(net, 2, run, gathered=False)
        if kind == "gather of heads":
            given["order"] = np.array([2, 0, 1], np.int32)
        first, second = (session.run([given[port.any_name] for port in alone.inputs]) for session in sessions)
        np.testing.assert_array_equal(first[0], second[0])
