"""Attention and normalisation as several layers, where the other model does not have these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.debugging.expanding import expanded
from irrun.model import Loaded, build, load
from tests.cases import f32
from tests.nets import Net

RANDOM = np.random.default_rng(2)
HEADS = RANDOM.standard_normal((1, 3, 4)).astype(np.float32)


def attention(path: Path, *others: Any, shape: str = "1,3,4", opset: int = 13, causal: bool = False) -> Loaded:
    """Attention of a tensor with itself; ``others`` are the mask, the scale and the sink."""
    net = Net()
    x = net.parameter("x", shape)
    inputs = [x, x, x, *(net.constant(values, "boolean" if values.dtype == bool else "f32") for values in others)]
    net.result(net.layer("ScaledDotProductAttention", inputs, opset=opset, name="a", causal=causal))
    return load(net.save(path))


def plain(folder: Path) -> Loaded:
    """Return a model with layers that parts of attention and of normalisation have."""
    net = Net()
    x = net.layer("ReduceMean", [net.parameter("x", "1,3,4"), net.constant([2])], keep_dims=True)
    net.result(net.layer("SoftMax", [x], axis=1))
    return load(net.save(folder / "plain.xml"))


def types(model: Loaded) -> list[str]:
    hidden = ("Parameter", "Const", "Result")
    return [node.type for node in model.graph.ordered() if node.type not in hidden]


HIDDEN = np.array([[True, False, True], [True, True, False], [False, True, True]])


@pytest.mark.parametrize(
    ("others", "causal", "expected"),
    [
        ((), False, ["MatMul", "Multiply", "SoftMax", "MatMul"]),
        ((), True, ["Select", "MatMul", "Multiply", "Add", "SoftMax", "MatMul"]),
        ((HIDDEN,), False, ["Select", "MatMul", "Multiply", "Add", "SoftMax", "MatMul"]),
        ((np.zeros((3, 3), np.float32), f32(0.3)), False, ["MatMul", "Multiply", "Add", "SoftMax", "MatMul"]),
    ],
    ids=["plain", "causal", "a mask of booleans", "a scale"],
)
def test_the_parts_of_attention(others: tuple[Any, ...], causal: bool, expected: list[str], tmp_path: Path) -> None:
    model = attention(tmp_path / "a.xml", *others, causal=causal)
    parts = expanded(model, plain(tmp_path))
    assert sorted(types(parts)) == sorted(expected)
    assert {node.name for node in parts.graph.ordered() if node.type in expected} == {"a"}
    np.testing.assert_allclose(build(parts)([HEADS])[0], build(model)([HEADS])[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", ["?,?,?", "..."])
def test_attention_of_unknown_sizes_stays(shape: str, tmp_path: Path) -> None:
    model = attention(tmp_path / "a.xml", shape=shape)
    assert types(expanded(model, plain(tmp_path))) == ["ScaledDotProductAttention"]


def test_causal_attention_of_unknown_length_stays(tmp_path: Path) -> None:
    model = attention(tmp_path / "a.xml", shape="1,?,4", causal=True)
    assert types(expanded(model, plain(tmp_path))) == ["ScaledDotProductAttention"]


def test_what_the_other_model_has_stays(tmp_path: Path) -> None:
    model = attention(tmp_path / "a.xml")
    assert expanded(model, model) is model


def test_group_normalisation_of_unknown_sizes_stays(tmp_path: Path) -> None:
    net = Net()
    inputs = [net.parameter("x", "1,4,?"), net.constant(f32([1, 2, 3, 4])), net.constant(f32([4, 3, 2, 1]))]
    net.result(net.layer("GroupNormalization", inputs, opset=12, num_groups=2, epsilon=1e-5))
    assert types(expanded(load(net.save(tmp_path / "g.xml")), plain(tmp_path))) == ["GroupNormalization"]


def test_what_the_other_model_was_not_written_with_stays(tmp_path: Path) -> None:
    """A layer that the other model lacks is not one that it has as parts."""
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", "1,3,4")]))
    other, model = load(net.save(tmp_path / "abs.xml")), attention(tmp_path / "a.xml")
    assert expanded(model, other) is model
