"""The parameters of a model: weights count, what quantises them does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Handle, WrittenBody
from irrun.model import load
from irrun.model.summary import summarize
from tests.nets import Net


def parameters(net: Net, folder: Path) -> int:
    return summarize(load(net.save(folder / "net.xml"))).parameters


def product(net: Net, x: Handle, weights: Handle) -> Handle:
    return net.layer("MatMul", [x, weights], transpose_a=False, transpose_b=True)


def scaled(net: Net, weights: Handle, scale: Handle, zero: Handle | None = None) -> Handle:
    """Return weights as converted to f32, less a zero point, times a scale."""
    made = net.layer("Convert", [weights], destination_type="f32")
    if zero is not None:
        floats = net.layer("Convert", [zero], destination_type="f32")
        made = net.layer("Subtract", [made, floats], auto_broadcast="numpy")
    return net.layer("Multiply", [made, scale], auto_broadcast="numpy")


@pytest.mark.parametrize("type", ["i8", "u8", "i4", "u4", "u2", "f8e4m3", "nf4"])
@pytest.mark.parametrize("has_zero", [False, True])
def test_scales_and_zero_points_do_not_count(tmp_path: Path, type: str, has_zero: bool) -> None:
    net = Net()
    weights = net.constant(np.ones((6, 16)), type)
    zero = net.constant(np.zeros((6, 1)), type) if has_zero else None
    net.result(product(net, net.parameter("x", "2,16"), scaled(net, weights, net.normal(6, 1), zero)))
    assert parameters(net, tmp_path) == 6 * 16


def test_groups_of_weights_with_scales_in_f16(tmp_path: Path) -> None:
    net = Net()
    weights, zero = net.constant(np.ones((6, 4, 4)), "u4"), net.constant(np.ones((6, 4, 1)), "u4")
    halves = [net.layer("Convert", [item], destination_type="f16") for item in (weights, zero)]
    less = net.layer("Subtract", halves, auto_broadcast="numpy")
    made = net.layer("Multiply", [less, net.constant(np.ones((6, 4, 1)), "f16")], auto_broadcast="numpy")
    whole = net.layer("Reshape", [made, net.constant([6, 16])], special_zero=False)
    floats = net.layer("Convert", [whole], destination_type="f32")
    net.result(product(net, net.parameter("x", "2,16"), floats))
    assert parameters(net, tmp_path) == 6 * 16


def test_scales_of_an_embedding_are_gathered_too(tmp_path: Path) -> None:
    net = Net()
    rows, axis = net.parameter("rows", "3", "i64"), net.constant(0)
    table, scales = net.constant(np.ones((9, 4)), "i8"), net.normal(9, 1)
    floats = net.layer(
        "Convert", [net.layer("Gather", [table, rows, axis], opset=8, batch_dims=0)], destination_type="f32"
    )
    factors = net.layer("Gather", [scales, rows, axis], opset=8, batch_dims=0)
    net.result(net.layer("Multiply", [floats, factors], auto_broadcast="numpy"))
    assert parameters(net, tmp_path) == 9 * 4


def test_limits_of_a_quantisation_do_not_count(tmp_path: Path) -> None:
    net = Net()
    limits = [net.normal(6, 1) for _ in range(4)]
    weights = net.layer("FakeQuantize", [net.normal(6, 16), *limits], levels=255, auto_broadcast="numpy")
    net.result(product(net, net.parameter("x", "2,16"), weights))
    assert parameters(net, tmp_path) == 6 * 16


def test_scales_of_activations_do_not_count(tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "2,16", "u8")
    net.result(product(net, scaled(net, x, net.normal(16), net.constant(np.ones(16), "u8")), net.normal(6, 16)))
    assert parameters(net, tmp_path) == 6 * 16


def test_gains_and_biases_count(tmp_path: Path) -> None:
    net = Net()
    x = net.layer("Multiply", [net.parameter("x", "2,16"), net.normal(16)], auto_broadcast="numpy")
    y = net.layer("Add", [product(net, x, net.normal(6, 16)), net.normal(6)], auto_broadcast="numpy")
    net.result(net.layer("Multiply", [y, net.constant(0.5)], auto_broadcast="numpy"))
    assert parameters(net, tmp_path) == 16 + 6 * 16 + 6


def test_texts_do_not_count(tmp_path: Path) -> None:
    net = Net()
    texts = [net.constant([0, 2]), net.constant([2, 5])]
    texts = [net.layer("Convert", [item], destination_type="i32") for item in texts]
    letters = net.constant(np.frombuffer(b"ababc", np.uint8), "u8")
    net.result(net.layer("StringTensorPack", [*texts, letters], opset=15))
    assert parameters(net, tmp_path) == 0


def cell(net: Net, hidden: int, size: int) -> list[Handle]:
    return [net.normal(4 * hidden, size), net.normal(4 * hidden, hidden), net.normal(4 * hidden)]


def test_a_loop_counts_its_body_once_and_no_initial_states(tmp_path: Path) -> None:
    """A TensorIterator of LSTMCells has as many parameters as the LSTMSequence that it stands for."""
    batch, steps, size, hidden = 3, 5, 7, 4
    whole = Net()
    states = [whole.zeros(batch, 1, hidden), whole.zeros(batch, 1, hidden)]
    weights = [whole.normal(1, *item) for item in ((4 * hidden, size), (4 * hidden, hidden), (4 * hidden,))]
    x, lengths = whole.parameter("x", f"{batch},{steps},{size}"), whole.constant(np.full(batch, steps))
    data: dict[str, Any] = {"hidden_size": hidden, "direction": "forward"}
    whole.result(*whole.layers("LSTMSequence", [x, *states, lengths, *weights], opset=5, **data)[:1])

    net = Net()
    body = net.body()
    inner = [body.parameter(name, shape) for name, shape in (("s", f"{batch},1,{size}"), ("h", f"{batch},{hidden}"))]
    inner.append(body.parameter("c", f"{batch},{hidden}"))
    step = body.layer("Squeeze", [inner[0], body.constant([1])])
    made = body.layers("LSTMCell", [step, *inner[1:], *cell(body, hidden, size)], 2, opset=4, hidden_size=hidden)
    ends = [body.ir.last + 1 + place for place in range(2)]
    body.result(*made)
    cut = {"axis": 1, "stride": 1, "part_size": 1, "start": 0, "end": -1}
    entries: list[dict[str, Any]] = [{"external_port_id": 0, "internal_layer_id": 0, **cut}]
    entries += [{"external_port_id": port, "internal_layer_id": port} for port in (1, 2)]
    written = WrittenBody(
        body.ir,
        entries,
        [{"external_port_id": 3, "internal_layer_id": ends[0]}],
        [(ends[0], 1), (ends[1], 2)],
    )
    x, states = net.parameter("x", f"{batch},{steps},{size}"), [net.zeros(batch, hidden) for _ in range(2)]
    net.result(net.layer("TensorIterator", [x, *states], f"{batch},{hidden}", name="loop", bodies={"body": written}))
    expected = 4 * hidden * (size + hidden + 1)
    assert parameters(whole, tmp_path) == parameters(net, tmp_path) == expected
