from __future__ import annotations

import math

from irrun.kernels.recurrent import DirectionWeights, Rnn, run_cell
from irrun.ops import Array, Fact, In, Legacy, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.recurrent import LEFT_BY_CELLS, activation_names, infer_cell
from irrun.ops.departures import NAN_ADDED
from irrun.ops.work import of_weights
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)
_DEFAULT = ("tanh",)


@op("RNNCell", opset=1, page="rnn-cell-3")
class RNNCell(Op):
    """A step of a simple recurrent network: f(X·Wᵀ + H·Rᵀ + B)."""

    departures = {"nan": "returns 0 for NaN with the activation relu"}
    workarounds = {"nan": NAN_ADDED}
    inputs = (
        In("X", T, "[batch, input_size]", rank=2),
        In("initial_hidden_state", T, "[batch, hidden_size]", rank=2),
        In("W", T, "[hidden_size, input_size]", rank=2),
        In("R", T, "[hidden_size, hidden_size]", rank=2),
        In("B", T, "[hidden_size], the sum of both biases", rank=1, optional=True),
    )
    outputs = (Out("Ho", T, "[batch, hidden_size]"),)
    legacy = (*LEFT_BY_CELLS, Legacy("linear_before_reset", writer="OpenVINO's own tests"))
    multiply_adds = of_weights(w=2, r=3)
    factors = (0, 1, 2, 3)

    hidden_size: int = attr(doc="size of the hidden state", ge=0, openvino=0)
    activations: tuple[str, ...] = attr(_DEFAULT, doc="of the hidden state; each sigmoid, tanh or relu")
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(math.inf, doc="bound of the arguments of the activations; 0 means no bound", ge=0)

    def verify(self) -> None:
        activation_names(self.activations, _DEFAULT)

    def infer(self, x: Fact, hidden: Fact, w: Fact, r: Fact, b: Fact | None) -> tuple[Shape, ...]:
        return infer_cell(self.hidden_size, 1, x, [hidden], w, r, b)

    def run(self, x: Array, hidden: Array, w: Array, r: Array, b: Array | None) -> tuple[Array, ...]:
        cell = Rnn(activation_names(self.activations, _DEFAULT), self.clip)
        return run_cell(cell, x, (hidden,), DirectionWeights(w, r, b))
