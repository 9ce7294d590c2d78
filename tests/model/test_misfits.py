"""Inputs of a dynamic model that do not fit together are refused with the finding of inference before they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from tests.engines import TIERS
from tests.nets import Net


def convolution(net: Net) -> None:
    data = net.parameter("a", "?,?,?,?")
    attributes = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
    net.result(net.layer("Convolution", [data, net.normal(4, 3, 3, 3)], "?,4,?,?", **attributes))


def concat(net: Net) -> None:
    net.result(net.layer("Concat", [net.parameter("a", "?,?"), net.parameter("b", "?,?")], "?,?", axis=1))


def gather_elements(net: Net) -> None:
    indices = net.constant(np.zeros((2, 2), np.int64))
    net.result(net.layer("GatherElements", [net.parameter("a", "?,?"), indices], "2,2", 6, axis=0))


def matmul(net: Net) -> None:
    a, b = net.parameter("a", "?,?"), net.parameter("b", "?,?")
    net.result(net.layer("MatMul", [a, b], "?,?", transpose_a=False, transpose_b=False))


def behind_an_activation(net: Net) -> None:
    a, b = net.parameter("a", "?,?"), net.parameter("b", "?,?")
    net.result(net.layer("Concat", [net.layer("ReLU", [a], "?,?"), net.layer("Tanh", [b], "?,?")], "?,?", axis=0))


CASES = {
    "Convolution": (convolution, [(1, 3, 8, 8)], [(1, 5, 8, 8)]),
    "Concat": (concat, [(2, 3), (2, 4)], [(2, 3), (3, 4)]),
    "GatherElements": (gather_elements, [(5, 2)], [(5, 3)]),
    "MatMul": (matmul, [(2, 3), (3, 4)], [(2, 3), (4, 4)]),
    "ReLU, Tanh and Concat": (behind_an_activation, [(2, 3), (4, 3)], [(2, 3), (4, 1)]),
}


def arrays(shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    return [np.full(shape, 0.5, np.float32) for shape in shapes]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("config", [*({"TIER": tier} for tier in TIERS), {"OPTIMIZE": False}], ids=str)
def test_refused_as_by_inference(tmp_path: Path, name: str, config: Mapping[str, object]) -> None:
    build, fitting, misfit = CASES[name]
    net = Net()
    build(net)
    net.save(tmp_path / "net.xml")
    compiled = irrun.model.build(tmp_path / "net.xml", config)
    expected = [compiled(arrays(fitting))[0] for _ in range(4)]
    for _ in range(2):
        with pytest.raises(irrun.IRError) as caught:
            compiled(arrays(misfit))
        assert [item.code for item in caught.value.diagnostics] == ["IR304"]
        np.testing.assert_allclose(compiled(arrays(fitting))[0], expected[0], rtol=1e-6)


@pytest.mark.parametrize("config", [{}, {"OPTIMIZE": False}], ids=str)
def test_lengths_that_change_with_every_call(tmp_path: Path, config: Mapping[str, object]) -> None:
    net = Net()
    concat(net)
    net.save(tmp_path / "net.xml")
    compiled = irrun.model.build(tmp_path / "net.xml", config)
    for rows in range(1, 9):
        assert compiled(arrays([(rows, 3), (rows, 4)]))[0].shape == (rows, 7)
    with pytest.raises(irrun.IRError):
        compiled(arrays([(9, 3), (8, 4)]))
    assert compiled(arrays([(9, 3), (9, 4)]))[0].shape == (9, 7)


@pytest.mark.parametrize("config", [*({"TIER": tier} for tier in TIERS), {"OPTIMIZE": False}], ids=str)
def test_a_variable_that_was_set_to_another_shape(tmp_path: Path, config: Mapping[str, object]) -> None:
    net = Net()
    variable = {"variable_id": "sum", "variable_type": "f32", "variable_shape": "1,2"}
    before = net.layer("ReadValue", [net.constant(np.zeros((1, 2), np.float32))], "1,2", 6, **variable)
    total = net.layer("Add", [net.parameter("a", "?,2"), before], "?,2")
    net.layer("Assign", [total], "?,2", 6, variable_id="sum")
    net.result(total)
    net.save(tmp_path / "net.xml")
    request = irrun.model.build(tmp_path / "net.xml", config).session()
    for count in range(1, 4):
        assert request.run(arrays([(1, 2)]))[0].tolist() == [[count / 2] * 2]
    assert request.run(arrays([(3, 2)]))[0].tolist() == [[2.0, 2.0]] * 3
    for _ in range(2):
        with pytest.raises(irrun.IRError, match=r"the variable holds a value of shape \[3,2\], expected \[1,2\]"):
            request.run(arrays([(1, 2)]))
    request.state.values["sum"] = np.full((1, 2), 5, np.float32)
    assert request.run(arrays([(1, 2)]))[0].tolist() == [[5.5, 5.5]]
