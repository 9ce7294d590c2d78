"""Recurrent sequences with constant weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.kernels.casting import rounded
from irrun.tensor import Array
from irrun.tensor.element_type import F32, I64
from tests.engines import TIERS
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import check, types

GATES = {"RNNSequence": 1, "GRUSequence": 3, "LSTMSequence": 4}
HIDDEN, SIZE = 5, 3


def sequence(
    net: Net,
    kind: str,
    direction: str,
    lengths: Handle,
    batch: str = "2",
    steps: str = "6",
    weights: Handle | None = None,
    **attributes: object,
) -> list[Handle]:
    gates, count = GATES[kind], 2 if direction == "bidirectional" else 1
    states = [net.parameter(f"s{i}", f"{batch},{count},{HIDDEN}") for i in range(2 if kind == "LSTMSequence" else 1)]
    bias = gates + bool(attributes.get("linear_before_reset"))
    inputs = [
        net.parameter("x", f"{batch},{steps},{SIZE}"),
        *states,
        lengths,
        net.normal(count, gates * HIDDEN, SIZE) if weights is None else weights,
        net.normal(count, gates * HIDDEN, HIDDEN),
        net.normal(count, bias * HIDDEN),
    ]
    last = f"{batch},{count},{HIDDEN}"
    outputs = [(F32, f"{batch},{count},{steps},{HIDDEN}"), *((F32, last) for _ in states)]
    return net.layers(kind, inputs, outputs, 5, hidden_size=HIDDEN, direction=direction, **attributes)


@merged()
@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("batch", [1, 2])
def test_weights_are_prepared_once(tmp_path: Path, kind: str, direction: str, batch: int) -> None:
    net = Net()
    made = sequence(net, kind, direction, net.constant(np.full(batch, 6)), str(batch))
    net.result(*made)
    compiled = check(net, tmp_path, ["fuse-recurrence"], {"FusedRecurrence": 1})
    assert len(compiled(net.inputs()).to_tuple()) == len(made)


def test_the_state_is_multiplied_before_the_reset_gate(tmp_path: Path) -> None:
    net = Net()
    lengths = net.constant(np.full(2, 6))
    net.result(*sequence(net, "GRUSequence", "bidirectional", lengths, linear_before_reset=True))
    check(net, tmp_path, ["fuse-recurrence"], {"FusedRecurrence": 1})


def test_last_states_alone(tmp_path: Path) -> None:
    net = Net()
    lengths = net.constant(np.full(2, 6))
    net.result(sequence(net, "LSTMSequence", "reverse", lengths)[2])
    check(net, tmp_path, ["fuse-recurrence"], {"FusedRecurrence": 1})


def test_relu(tmp_path: Path) -> None:
    net = Net()
    net.result(*sequence(net, "RNNSequence", "forward", net.constant(np.full(2, 6)), activations="relu"))
    check(net, tmp_path, ["fuse-recurrence"], {"FusedRecurrence": 1})


def test_sequences_of_different_lengths(tmp_path: Path) -> None:
    net = Net()
    net.result(*sequence(net, "LSTMSequence", "bidirectional", net.constant(np.array([2, 6]))))
    check(net, tmp_path, ["fuse-recurrence"], {"FusedRecurrence": 1})


def test_sizes_that_are_not_known(tmp_path: Path) -> None:
    net = Net()
    net.result(*sequence(net, "GRUSequence", "bidirectional", net.constant(np.full(3, 4)), "?", "?"))
    sizes: dict[str, tuple[int, ...]] = {"x": (3, 4, SIZE), "s0": (3, 2, HIDDEN)}
    check(net, tmp_path, ["fuse-recurrence"], {"FusedRecurrence": 1}, sizes=sizes)


@pytest.mark.parametrize("attributes", [{"clip": 0.5}, {"activations": "sigmoid,relu,tanh"}])
def test_what_has_no_quicker_form_is_left_alone(tmp_path: Path, attributes: dict[str, Any]) -> None:
    net = Net()
    net.result(*sequence(net, "LSTMSequence", "forward", net.constant(np.full(2, 6)), **attributes))
    check(net, tmp_path, ["fuse-recurrence"], {"LSTMSequence": 1})


def test_weights_that_change_are_left_alone(tmp_path: Path) -> None:
    net = Net()
    weights = net.parameter("w", f"1,{HIDDEN},{SIZE}")
    net.result(*sequence(net, "RNNSequence", "forward", net.constant(np.full(2, 6)), weights=weights))
    assert types(check(net, tmp_path, ["fuse-recurrence"], {"RNNSequence": 1})) == {"RNNSequence": 1}


def in_f64(kind: str, x: Array, states: list[Array], w: Array, r: Array, b: Array, linear: bool) -> Array:
    """The hidden states of one direction, with operands of products rounded to bf16."""

    def near(a: Array) -> Array:
        return rounded(a.astype(np.float32), "bf16").astype(np.float64)

    w, r, b = near(w), near(r), b.astype(np.float64)
    hidden, *cell = (state[:, 0].astype(np.float64) for state in states)
    found = []
    for step in range(x.shape[1]):
        given = near(x[:, step]) @ w.T + b[: len(w)]
        if kind == "GRUSequence":
            z, s, given = np.split(given, 3, axis=1)
            rz, rs, rh = np.split(r, 3)
            z, s = (1 / (1 + np.exp(-(part + near(hidden) @ own.T))) for part, own in ((z, rz), (s, rs)))
            inner = s * (near(hidden) @ rh.T + b[len(w) :]) if linear else near(s * hidden) @ rh.T
            hidden = (1 - z) * np.tanh(given + inner) + z * hidden
        elif kind == "RNNSequence":
            hidden = np.tanh(given + near(hidden) @ r.T)
        else:
            f, i, c, o = np.split(given + near(hidden) @ r.T, 4, axis=1)
            f, i, o = (1 / (1 + np.exp(-gate)) for gate in (f, i, o))
            cell = [f * cell[0] + i * np.tanh(c)]
            hidden = o * np.tanh(cell[0])
        found.append(hidden)
    return np.stack(found, axis=1)[:, np.newaxis]


@merged()
@pytest.mark.parametrize(
    ("kind", "linear"), [("RNNSequence", False), ("GRUSequence", False), ("GRUSequence", True), ("LSTMSequence", False)]
)
@pytest.mark.parametrize("lengths", ["whole", "given"])
@pytest.mark.parametrize("size", [3, 8])
def test_operands_of_bf16(tmp_path: Path, kind: str, linear: bool, lengths: str, size: int) -> None:
    net = Net()
    attributes = {"linear_before_reset": True} if linear else {}
    count = net.constant(np.full(2, 6)) if lengths == "whole" else net.parameter("lengths", "2", I64)
    gates = GATES[kind]
    drawn = np.random.default_rng(4)
    w, r = (drawn.standard_normal((1, gates * HIDDEN, columns), dtype=np.float32) for columns in (size, HIDDEN))
    b = drawn.standard_normal((1, (gates + linear) * HIDDEN), dtype=np.float32)
    states = [net.parameter(f"s{i}", f"2,1,{HIDDEN}") for i in range(2 if kind == "LSTMSequence" else 1)]
    inputs = [net.parameter("x", f"2,6,{size}"), *states, count, *map(net.constant, (w, r, b))]
    outputs = [(F32, f"2,1,6,{HIDDEN}"), *((F32, f"2,1,{HIDDEN}") for _ in states)]
    net.result(net.layers(kind, inputs, outputs, 5, hidden_size=HIDDEN, direction="forward", **attributes)[0])
    net.save(tmp_path / "net.xml")
    given = net.inputs() | ({} if lengths == "whole" else {"lengths": np.array([6, 4])})
    begin = [given[f"s{i}"] for i in range(len(states))]
    exact = in_f64(kind, given["x"], begin, w[0], r[0], b[0], linear)
    if lengths == "given":
        exact[1, :, 4:] = 0
    for tier in TIERS:
        compiled = irrun.model.build(tmp_path / "net.xml", {"INFERENCE_PRECISION_HINT": "bf16", "TIER": tier})
        assert types(compiled) == {"FusedRecurrence": 1}
        got = compiled(given)[0]
        np.testing.assert_allclose(got[:, :, 0], exact[:, :, 0], atol=1e-5)
        # A state near the middle of two bf16 may become the other one.
        np.testing.assert_allclose(got, exact, atol=2.0**-6)
        assert np.median(np.abs(got - exact)) < 1e-5


@pytest.mark.parametrize(("kind", "opset"), [("LSTMCell", 4), ("RNNCell", 1)])
def test_operands_of_cells(tmp_path: Path, kind: str, opset: int) -> None:
    net = Net()
    gates = GATES[kind.replace("Cell", "Sequence")]
    w, r = (net.random.standard_normal((gates * HIDDEN, columns), dtype=np.float32) for columns in (SIZE, HIDDEN))
    b = net.random.standard_normal(gates * HIDDEN, dtype=np.float32)
    states = [net.parameter(f"s{i}", f"2,{HIDDEN}") for i in range(2 if kind == "LSTMCell" else 1)]
    inputs = [net.parameter("x", f"2,{SIZE}"), *states, *map(net.constant, (w, r, b))]
    net.result(*net.layers(kind, inputs, [(F32, f"2,{HIDDEN}") for _ in states], opset, hidden_size=HIDDEN))
    given = net.inputs()
    begin = [given[f"s{i}"][:, np.newaxis] for i in range(len(states))]
    exact = in_f64(kind.replace("Cell", "Sequence"), given["x"][:, np.newaxis], begin, w, r, b, False)[:, 0, 0]
    for tier in TIERS:
        compiled = net.compile(tmp_path, INFERENCE_PRECISION_HINT="bf16", TIER=tier)
        assert types(compiled) == {kind: 1, "FusedRound": 2}
        np.testing.assert_allclose(compiled(given)[0], exact, atol=1e-5)
