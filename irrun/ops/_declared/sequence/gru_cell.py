from __future__ import annotations

import math

from irrun.kernels.recurrent import DirectionWeights, Gru, run_cell
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.recurrent import LEFT_BY_CELLS, activation_names, infer_cell
from irrun.ops.declaration import FLAGS_FLOATED
from irrun.ops.departures import NAN_ADDED
from irrun.ops.work import of_weights
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)
_DEFAULT = ("sigmoid", "tanh")


@op("GRUCell", opset=3)
class GRUCell(Op):
    """A step of a gated recurrent unit; gates in the order z, r, h."""

    departures = {"nan": "returns finite numbers for NaN"}
    workarounds = {"nan": NAN_ADDED}

    inputs = (
        In("X", T, "[batch, input_size]", rank=2),
        In("initial_hidden_state", T, "[batch, hidden_size]", rank=2),
        In("W", FLOAT, "[3 * hidden_size, input_size]", rank=2, also=FLAGS_FLOATED),
        In("R", T, "[3 * hidden_size, hidden_size]", rank=2),
        In("B", T, "[3 * hidden_size], or 4 with linear_before_reset", rank=1, optional=True),
    )
    outputs = (Out("Ho", T, "[batch, hidden_size]"),)
    legacy = LEFT_BY_CELLS
    multiply_adds = of_weights(w=2, r=3)

    hidden_size: int = attr(doc="size of the hidden state", ge=0, openvino=0)
    activations: tuple[str, ...] = attr(_DEFAULT, doc="of the gates and of the candidate; each sigmoid, tanh or relu")
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(math.inf, doc="bound of the arguments of the activations; 0 means no bound", ge=0)
    linear_before_reset: bool = attr(False, doc="whether the state is multiplied by its weights before the reset gate")

    def verify(self) -> None:
        activation_names(self.activations, _DEFAULT)

    def infer(self, x: Fact, hidden: Fact, w: Fact, r: Fact, b: Fact | None) -> tuple[Shape, ...]:
        return infer_cell(self.hidden_size, 3, x, [hidden], w, r, b, 4 if self.linear_before_reset else 3)

    def run(self, x: Array, hidden: Array, w: Array, r: Array, b: Array | None) -> tuple[Array, ...]:
        cell = Gru(activation_names(self.activations, _DEFAULT), self.clip, self.linear_before_reset)
        return run_cell(cell, x, (hidden,), DirectionWeights(w, r, b))
