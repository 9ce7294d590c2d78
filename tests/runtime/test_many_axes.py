"""Steps with tensors of many axes, none of which can be merged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor import Array
from tests.nets import Net
from tests.runtime.test_tiers import needs_kernels

pytestmark = needs_kernels

RANK = 10
SHAPE = ",".join("2" * RANK)
SIZE = 2**RANK


class Inputs:
    """Tensors of many axes in an order of memory that is not theirs."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.given: dict[str, Array] = {}
        random = np.random.default_rng(0)
        self.floats = self._turned("floats", random.standard_normal((2,) * RANK).astype(np.float32))
        self.indices = self._turned("indices", random.integers(0, 2, (2,) * RANK), "i64")
        self.small = self.plain("small", random.standard_normal((2, 3)).astype(np.float32))
        self.few = self.plain("few", np.array([1, 0]), "i64")

    def plain(self, name: str, values: Array, type: str = "f32") -> Handle:
        self.given[name] = values
        return self.net.parameter(name, ",".join(map(str, values.shape)), type)

    def _turned(self, name: str, values: Array, type: str = "f32") -> Handle:
        order = self.net.constant(np.arange(RANK)[::-1].copy())
        return self.net.layer("Transpose", [self.plain(name, values, type), order])

    def number(self, value: int) -> Handle:
        return self.net.constant(np.array(value))

    def each(self, value: int, count: int = RANK) -> Handle:
        return self.net.constant(np.full(count, value))

    def one_of(self, value: int, place: int, other: int) -> Handle:
        values = np.full(RANK, other)
        values[place] = value
        return self.net.constant(values)


LAYERS: dict[str, Callable[[Inputs], Handle]] = {
    "Gather": lambda x: x.net.layer("Gather", [x.small, x.indices, x.number(0)], opset=8),
    "GatherElements": lambda x: x.net.layer("GatherElements", [x.floats, x.indices], opset=6, axis=3),
    "GatherND": lambda x: x.net.layer("GatherND", [x.small, x.indices], opset=8),
    "GatherND of slices": lambda x: x.net.layer(
        "GatherND", [x.floats, x.plain("at", np.array([[1, 0], [0, 1]]), "i64")], opset=8
    ),
    "ScatterUpdate": lambda x: x.net.layer("ScatterUpdate", [x.floats, x.few, x.floats, x.number(2)], opset=3),
    "ScatterElementsUpdate": lambda x: x.net.layer(
        "ScatterElementsUpdate",
        [x.floats, x.indices, x.floats, x.number(1)],
        opset=12,
        reduction="sum",
        use_init_val=False,
    ),
    "ScatterNDUpdate": lambda x: x.net.layer(
        "ScatterNDUpdate",
        [
            x.floats,
            x.plain("at", np.array([[1]]), "i64"),
            x.net.layer("Unsqueeze", [x.net.layer("ReduceSum", [x.floats, x.number(0)], keep_dims=False), x.number(0)]),
        ],
        opset=4,
    ),
    "ScatterUpdate by many indices": lambda x: x.net.layer(
        "ScatterUpdate",
        [x.plain("vector", np.arange(2, dtype=np.float32)), x.indices, x.floats, x.number(0)],
        opset=3,
    ),
    "ScatterNDUpdate by many indices": lambda x: x.net.layer(
        "ScatterNDUpdate",
        [x.small, x.indices, x.net.layer("ReduceMax", [x.floats, x.number(RANK - 1)], keep_dims=False)],
        opset=4,
    ),
    "OneHot": lambda x: x.net.layer(
        "OneHot", [x.indices, x.number(3), x.net.constant(np.float32(5)), x.net.constant(np.float32(-1))], axis=-1
    ),
    "Tile": lambda x: x.net.layer("Tile", [x.floats, x.one_of(3, 4, 1)]),
    "Pad": lambda x: x.net.layer(
        "Pad", [x.floats, x.one_of(1, 2, 0), x.one_of(2, 3, 0)], opset=12, pad_mode="constant"
    ),
    "Pad by reflection": lambda x: x.net.layer(
        "Pad", [x.floats, x.one_of(1, 2, 0), x.one_of(1, 3, 0)], opset=12, pad_mode="symmetric"
    ),
    "Roll": lambda x: x.net.layer("Roll", [x.floats, x.each(1, 2), x.net.constant(np.array([2, 5]))], opset=7),
    "CumSum": lambda x: x.net.layer("CumSum", [x.floats, x.number(3)], opset=3, exclusive=True, reverse=True),
    "TopK": lambda x: x.net.layers(
        "TopK",
        [x.floats, x.number(1)],
        opset=11,
        axis=4,
        mode="max",
        sort="value",
        index_element_type="i64",
        stable=False,
    )[0],
    "Concat": lambda x: x.net.layer("Concat", [x.floats, x.net.layer("Negative", [x.floats])], axis=5),
    "SpaceToBatch": lambda x: x.net.layer("SpaceToBatch", [x.floats, x.one_of(2, 3, 1), x.each(0), x.each(0)], opset=2),
    "BatchToSpace": lambda x: x.net.layer("BatchToSpace", [x.floats, x.one_of(2, 3, 1), x.each(0), x.each(0)], opset=2),
    "ReverseSequence": lambda x: x.net.layer(
        "ReverseSequence", [x.floats, x.net.constant(np.array([1, 2]))], batch_axis=0, seq_axis=4
    ),
    "MatMul": lambda x: x.net.layer("MatMul", [x.floats, x.net.layer("Exp", [x.floats])]),
    "Softmax": lambda x: x.net.layer("Softmax", [x.floats], opset=8, axis=3),
    "LogSoftmax": lambda x: x.net.layer("LogSoftmax", [x.floats], opset=5, axis=3),
    "MVN": lambda x: x.net.layer(
        "MVN",
        [x.floats, x.net.constant(np.array([2, 4]))],
        opset=6,
        normalize_variance=True,
        eps=1e-5,
        eps_mode="inside_sqrt",
    ),
    "NormalizeL2": lambda x: x.net.layer(
        "NormalizeL2", [x.floats, x.net.constant(np.array([2, 4]))], eps=1e-5, eps_mode="add"
    ),
    "ReduceSum": lambda x: x.net.layer("ReduceSum", [x.floats, x.net.constant(np.array([1, 3, 5, 7]))], keep_dims=True),
    "ReduceProd": lambda x: x.net.layer(
        "ReduceProd", [x.floats, x.net.constant(np.array([1, 3, 5, 7]))], keep_dims=True
    ),
    "Select": lambda x: x.net.layer(
        "Select",
        [x.net.layer("Convert", [x.indices], destination_type="boolean"), x.floats, x.net.layer("Exp", [x.floats])],
    ),
    "Add": lambda x: x.net.layer(
        "Add", [x.floats, x.net.layer("ReduceSum", [x.floats, x.net.constant(np.array([1, 3, 5, 7]))], keep_dims=True)]
    ),
    "Convert": lambda x: x.net.layer("Convert", [x.floats], destination_type="f16"),
    "Split": lambda x: x.net.layers("Split", [x.floats, x.number(4)], 2, num_splits=2)[1],
    "Reshape": lambda x: x.net.layer("Reshape", [x.floats, x.net.constant(np.array([SIZE]))], special_zero=False),
    "Broadcast": lambda x: x.net.layer(
        "Broadcast", [x.floats, x.net.constant(np.array([3, *(2,) * RANK]))], opset=3, mode="numpy"
    ),
    "Reverse": lambda x: x.net.layer("Reverse", [x.floats, x.net.constant(np.array([1, 3]))], mode="index"),
    "StridedSlice": lambda x: x.net.layer(
        "StridedSlice", [x.floats, x.each(-1), x.each(-3), x.each(-1)], begin_mask=[0] * RANK, end_mask=[0] * RANK
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_values_are_those_of_numpy(tmp_path: Path, name: str) -> None:
    net = Net()
    inputs = Inputs(net)
    net.result(LAYERS[name](inputs), inputs.net.layer("Tanh", [inputs.small]))
    for at in (inputs.floats, inputs.indices, inputs.few):
        net.result(net.layer("ShapeOf", [at], opset=3))
    plain, compiled = (net.compile(tmp_path, TIER=tier) for tier in ("numpy", "compiled"))
    wanted = plain(inputs.given).to_tuple()
    compiled(inputs.given)
    found = compiled(inputs.given).to_tuple()
    assert compiled.executor.account["runs_by_tier"]["compiled"]
    for ours, others in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, others, rtol=1e-5, atol=1e-6)
