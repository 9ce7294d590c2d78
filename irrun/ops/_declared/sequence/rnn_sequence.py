from __future__ import annotations

import math

from irrun.kernels.recurrent import Rnn, run_sequence
from irrun.ops import REFUSED, Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.recurrent import (
    LEFT_BY_SEQUENCES,
    Direction,
    activation_names,
    ignores_lengths,
    infer_sequence,
    reversals,
    weights_of,
)
from irrun.ops.declaration import CUT
from irrun.ops.departures import STATIC
from irrun.ops.work import of_weights
from irrun.tensor.element_type import FLOAT, INTEGER

T1 = TypeVar("T1", FLOAT)
_DEFAULT = ("tanh",)


@op("RNNSequence", opset=5)
class RNNSequence(Op):
    """A simple recurrent network over sequences: each step is an RNNCell.

    Note: the final state of a sequence is zero where its length is 0 or exceeds the number of steps.
    """

    departures = {
        "dynamic": ignores_lengths(port=2),
        "nan": "returns finite numbers for NaN",
    }
    workarounds = {"dynamic": STATIC}

    inputs = (
        In("X", T1, "[batch, steps, input_size]", rank=3),
        In("initial_hidden_state", T1, "[batch, directions, hidden_size]", rank=3),
        In("sequence_lengths", INTEGER, "[batch]", rank=1, also=CUT),
        In("W", T1, "[directions, hidden_size, input_size]", rank=3),
        In("R", T1, "[directions, hidden_size, hidden_size]", rank=3),
        In("B", T1, "[directions, hidden_size], the sum of both biases", rank=2),
    )
    outputs = (
        Out("Y", T1, "[batch, directions, steps, hidden_size]"),
        Out("Ho", T1, "[batch, directions, hidden_size]"),
    )
    legacy = LEFT_BY_SEQUENCES
    multiply_adds = of_weights(w=3, r=4)

    hidden_size: int = attr(doc="size of the hidden state", ge=0, openvino=0)
    activations: tuple[str, ...] = attr(
        _DEFAULT, doc="of the hidden state; each sigmoid, tanh or relu", openvino=REFUSED
    )
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(math.inf, doc="bound of the arguments of the activations; 0 means no bound", ge=0)
    direction: Direction = attr("forward", doc="the order in which steps are run; bidirectional is both")

    def verify(self) -> None:
        activation_names(self.activations, _DEFAULT)

    def cell(self) -> Rnn:
        """Return the cell of one step."""
        return Rnn(activation_names(self.activations, _DEFAULT), self.clip)

    def infer(self, x: Fact, hidden: Fact, lengths: Fact, w: Fact, r: Fact, b: Fact) -> tuple[Shape, ...]:
        return infer_sequence(self.hidden_size, 1, self.direction, x, [hidden], lengths, w, r, b)

    def run(self, x: Array, hidden: Array, lengths: Array, w: Array, r: Array, b: Array) -> tuple[Array, ...]:
        return run_sequence(self.cell(), x, (hidden,), lengths, weights_of(w, r, b), reversals(self.direction))
