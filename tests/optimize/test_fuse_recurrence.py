"""Recurrent sequences with constant weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import F32
from tests.optimize.nets import Net, check, types

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
