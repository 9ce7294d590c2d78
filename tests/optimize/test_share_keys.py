"""Keys and values that serve several heads of queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.tensor.element_type import I64
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check, types

ONLY = ["fuse-attention", "share-keys"]
HEAD = 16


def repeated(net: Net, x: Handle, count: int, keys: str, *, axis: int = 2, mode: str = "bidirectional") -> Handle:
    split = net.layer(
        "Unsqueeze", [x, net.constant(np.array([axis]))], f"2,{'1,3' if axis == 1 else '3,1'},{keys},{HEAD}"
    )
    target = [1, 1, 1, 1, 1] if mode == "bidirectional" else [2, 3, 3, int(keys), HEAD]
    target[axis] = count
    sizes = f"2,{f'{count},3' if axis == 1 else f'3,{count}'},{keys},{HEAD}"
    wide = net.layer("Broadcast", [split, net.constant(np.array(target))], sizes, 3, mode=mode)
    shape = net.constant(np.array([0, 3 * count, -1, HEAD]))
    return net.layer("Reshape", [wide, shape], f"2,{3 * count},{keys},{HEAD}", special_zero=True)


def attention(net: Net, count: int, queries: int, keys: str, mask: str | None, **how: Any) -> None:
    query = net.parameter("query", f"2,{3 * count},{queries},{HEAD}")
    key, value = (repeated(net, net.parameter(name, f"2,3,{keys},{HEAD}"), count, keys, **how) for name in "kv")
    inputs = [query, key, value] + ([] if mask is None else [net.parameter("mask", mask)])
    net.result(
        net.layer("ScaledDotProductAttention", inputs, f"2,{3 * count},{queries},{HEAD}", 13, causal=mask is None)
    )


@merged()
@pytest.mark.parametrize("mask", [None, "2,1,1,7", "2,6,1,7", "6,1,7", "1,7"])
@pytest.mark.parametrize("queries", [1, 5])
@pytest.mark.parametrize("keys", ["7", "?"])
def test_shared(tmp_path: Path, queries: int, keys: str, mask: str | None) -> None:
    net = Net()
    attention(net, 2, queries, keys, mask)
    sizes = dict.fromkeys("kv", (2, 3, 7, HEAD)) if keys == "?" else None
    compiled = check(net, tmp_path, ONLY, {"FusedAttention": 1}, sizes=sizes)
    (op,) = [step.node.op for step in compiled.plan.steps]
    assert isinstance(op, FusedAttention)
    assert op.shared == 2


def test_numpy_broadcast(tmp_path: Path) -> None:
    net = Net()
    attention(net, 3, 2, "7", None, mode="numpy")
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


def test_heads_in_another_order_are_copied(tmp_path: Path) -> None:
    net = Net()
    attention(net, 2, 1, "7", None, axis=1)
    check(net, tmp_path, ONLY, {"FusedAttention": 1, "Unsqueeze": 2, "Broadcast": 2, "Reshape": 2})


def test_constant_keys(tmp_path: Path) -> None:
    net = Net()
    query = net.parameter("query", f"2,6,1,{HEAD}")
    key, value = (repeated(net, net.normal(2, 3, 7, HEAD), 2, "7") for _ in "kv")
    net.result(net.layer("ScaledDotProductAttention", [query, key, value], f"2,6,1,{HEAD}", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


LEFT = {"FusedAttention": 1, "Unsqueeze": 2, "Broadcast": 2, "Reshape": 2}


def copies(
    net: Net, name: str, shape: list[int], axis: int, target: list[int], result: list[int], **broadcast: Any
) -> Handle:
    """Unsqueeze, Broadcast and Reshape a parameter."""
    split = [*shape[:axis], 1, *shape[axis:]]
    wide = np.broadcast_shapes(tuple(split), tuple(target))
    data = net.layer("Unsqueeze", [net.parameter(name, _text(shape)), net.constant(np.array([axis]))], _text(split))
    inputs = [data, net.constant(np.array(target))]
    if broadcast.get("mode") == "explicit":
        inputs.append(net.constant(np.arange(len(split))))
    data = net.layer("Broadcast", inputs, _text(wide), 3, **({"mode": "bidirectional"} | broadcast))
    return net.layer("Reshape", [data, net.constant(np.array(result))], _text(result), special_zero=False)


def _text(sizes: Any) -> str:
    return ",".join(map(str, sizes))


@pytest.mark.parametrize(
    ("shape", "axis", "target", "result", "broadcast"),
    [
        ([2, 7, 16], 1, [2, 6, 7, 16], [2, 6, 7, 16], {}),
        ([2, 3, 7, 16], 2, [2, 3, 2, 7, 16], [2, 6, 7, 16], {"mode": "explicit"}),
        ([2, 3, 7, 16], 2, [1, 1, 2, 1, 1], [2, 2, 21, 16], {}),
        ([2, 3, 7, 16], 2, [1, 1, 2, 1, 1], [1, 6, 14, 16], {}),
    ],
    ids=["three axes", "explicit axes", "other heads", "batches joined"],
)
def test_other_copies_are_left_alone(
    tmp_path: Path, shape: list[int], axis: int, target: list[int], result: list[int], broadcast: dict[str, str]
) -> None:
    net = Net()
    key, value = (copies(net, name, shape, axis, target, result, **broadcast) for name in "kv")
    sizes = _text([*result[:2], 1, HEAD])
    net.result(net.layer("ScaledDotProductAttention", [net.parameter("q", sizes), key, value], sizes, 13, causal=False))
    check(net, tmp_path, ONLY, LEFT)


@pytest.mark.parametrize(("batch", "length"), [(1, 7), (2, 1), (1, 1)])
def test_batches_and_lengths_that_grow(tmp_path: Path, batch: int, length: int) -> None:
    net = Net()
    target, result = [2, 1, 2, 7, 1], [2, 6, 7, HEAD]
    key, value = (copies(net, name, [batch, 3, length, HEAD], 2, target, result) for name in "kv")
    inputs = [net.parameter("q", f"2,6,1,{HEAD}"), key, value]
    net.result(net.layer("ScaledDotProductAttention", inputs, f"2,6,1,{HEAD}", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1, "FusedExpand": 2})


@pytest.mark.parametrize("length", [7, 1])
def test_a_target_of_the_sizes_of_others(tmp_path: Path, length: int) -> None:
    """The sizes of the first cache are those to which all are broadcast, though a run may have others."""
    net = Net()
    key, value = (net.parameter(name, f"2,3,?,{HEAD}") for name in "kv")
    (shape,) = net.layers("ShapeOf", [value], [(I64, "4")], 3, output_type="i64")
    parts = [
        net.layers("Gather", [shape, net.constant(np.array(places)), net.constant(np.array(0))], [(I64, "2")], 8)[0]
        for places in ([0, 1], [2, 3])
    ]
    (target,) = net.layers("Concat", [parts[0], net.constant(np.array([2])), parts[1]], [(I64, "5")], axis=0)
    repeated = []
    for each in (key, value):
        wide = net.layer("Unsqueeze", [each, net.constant(np.array(2))], f"2,3,1,?,{HEAD}")
        wide = net.layer("Broadcast", [wide, target], f"2,3,2,?,{HEAD}", 3, mode="bidirectional")
        joined = net.constant(np.array([0, 6, -1, HEAD]))
        repeated.append(net.layer("Reshape", [wide, joined], f"2,6,?,{HEAD}", special_zero=True))
    inputs = [net.parameter("q", f"2,6,1,{HEAD}"), *repeated]
    net.result(net.layer("ScaledDotProductAttention", inputs, f"2,6,1,{HEAD}", 13, causal=False))
    sizes = {"k": (2, 3, length, HEAD), "v": (2, 3, 7, HEAD)}
    compiled = net.compile(tmp_path)
    assert [types(compiled)[type] for type in ("FusedAttention", "FusedExpand")] == [1, 1]
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
    for _ in range(3):
        given = net.inputs(sizes)
        np.testing.assert_allclose(compiled(given)[0], plain(given)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("split", ["Unsqueeze", "Reshape"])
@pytest.mark.parametrize("repeat", ["Tile", "Concat"])
def test_other_layers_that_repeat(tmp_path: Path, split: str, repeat: str) -> None:
    net = Net()
    sides = []
    for name in "kv":
        axes = np.array([2] if split == "Unsqueeze" else [2, 3, 1, 7, HEAD])
        how = {} if split == "Unsqueeze" else {"special_zero": False}
        data = net.layer(split, [net.parameter(name, "2,3,7,16"), net.constant(axes)], "2,3,1,7,16", **how)
        if repeat == "Tile":
            data = net.layer("Tile", [data, net.constant(np.array([1, 1, 2, 1, 1]))], "2,3,2,7,16")
        else:
            data = net.layer("Concat", [data, data], "2,3,2,7,16", axis=2)
        shape = net.constant(np.array([2, 6, 7, HEAD]))
        sides.append(net.layer("Reshape", [data, shape], "2,6,7,16", special_zero=False))
    query = net.parameter("q", "2,6,5,16")
    net.result(net.layer("ScaledDotProductAttention", [query, *sides], "2,6,5,16", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1})


@pytest.mark.parametrize(("indices", "left"), [([0, 0, 1, 1, 2, 2], 0), ([0, 1, 2, 0, 1, 2], 2)])
def test_heads_that_are_gathered(tmp_path: Path, indices: list[int], left: int) -> None:
    net = Net()
    rows, axis = net.constant(np.array(indices)), net.constant(np.array(1))
    sides = [net.layer("Gather", [net.parameter(name, "2,3,7,16"), rows, axis], "2,6,7,16", 8) for name in "kv"]
    query = net.parameter("q", "2,6,5,16")
    net.result(net.layer("ScaledDotProductAttention", [query, *sides], "2,6,5,16", 13, causal=False))
    check(net, tmp_path, ONLY, {"FusedAttention": 1, **({"Gather": left} if left else {})})
