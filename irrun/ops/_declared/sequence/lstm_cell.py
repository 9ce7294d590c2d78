from __future__ import annotations

import math
from typing import Literal

from irrun.kernels.recurrent import DirectionWeights, Lstm, run_cell
from irrun.ops import Array, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.recurrent import LEFT_BY_CELLS, activation_names, infer_cell
from irrun.ops.declaration import FLAGS_FLOATED
from irrun.ops.departures import NAN_ADDED, Departure
from irrun.ops.work import of_weights
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)
_DEFAULT = ("sigmoid", "tanh", "tanh")


def _order_of_gates(op: LSTMCellV1, _: object) -> str | None:
    if op.weights_format == "fico":
        return None
    return f'takes the gates in the order "fico" and ignores weights_format="{op.weights_format}"'


@op("LSTMCell", opset=1)
class LSTMCellV1(Op):
    """A step of a long short-term memory; gates in the order f, i, c, o.

    Note: the page has no peepholes and one order of gates. OpenVINO writes ``P``, ``input_forget`` and
    ``weights_format``; neither its CPU plugin nor irrun reads them.
    """

    departures = {
        "input_forget": Departure("ignores input_forget", lambda op, _: op.input_forget),
        "gates": Departure("ignores weights_format", _order_of_gates),
        "nan": "returns finite numbers for NaN",
    }

    inputs = (
        In("X", T, "[batch, input_size]", rank=2),
        In("initial_hidden_state", T, "[batch, hidden_size]", rank=2),
        In("initial_cell_state", T, "[batch, hidden_size]", rank=2),
        In("W", T, "[4 * hidden_size, input_size]", rank=2),
        In("R", T, "[4 * hidden_size, hidden_size]", rank=2),
        In("B", T, "[4 * hidden_size], the sum of both biases", rank=1, optional=True),
        In("P", FLOAT, "[3 * hidden_size], peephole weights, not read", rank=1, optional=True, also=FLAGS_FLOATED),
    )
    outputs = (Out("Ho", T, "[batch, hidden_size]"), Out("Co", T, "[batch, hidden_size]"))
    legacy = (*LEFT_BY_CELLS, Legacy("element_type", writer="OpenVINO's own tests"))
    multiply_adds = of_weights(w=3, r=4)
    factors = (0, 1, 3, 4)

    hidden_size: int = attr(doc="size of the hidden state", ge=0, openvino=0)
    activations: tuple[str, ...] = attr(
        _DEFAULT, doc="of the gates, of the cell input and of the cell output; each sigmoid, tanh or relu"
    )
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(math.inf, doc="bound of the arguments of the activations; 0 means no bound", ge=0)
    input_forget: bool = attr(False, doc="written by OpenVINO, not read")
    weights_format: Literal["fico", "icof", "ifco", "ifoc", "iofc"] = attr("ifco", doc="written by OpenVINO, not read")

    def verify(self) -> None:
        activation_names(self.activations, _DEFAULT)

    def infer(
        self, x: Fact, hidden: Fact, cell: Fact, w: Fact, r: Fact, b: Fact | None, p: Fact | None
    ) -> tuple[Shape, ...]:
        sizes = infer_cell(self.hidden_size, 4, x, [hidden, cell], w, r, b)
        if p is not None and p.shape.dims is not None and not p.shape[0].compatible(sizes[0][1] * 3):
            raise OpError(f"input 6 has shape {p.shape}, expected 3 times the hidden size {sizes[0][1]}", input=6)
        return sizes

    def run(
        self, x: Array, hidden: Array, cell: Array, w: Array, r: Array, b: Array | None, _: Array | None
    ) -> tuple[Array, ...]:
        return run_cell(
            Lstm(activation_names(self.activations, _DEFAULT), self.clip), x, (hidden, cell), DirectionWeights(w, r, b)
        )


@op("LSTMCell", opset=4, page="lstm-cell-1")
class LSTMCellV4(Op):
    """A step of a long short-term memory; gates in the order f, i, c, o."""

    departures = {"nan": "returns finite numbers for NaN"}
    workarounds = {"nan": NAN_ADDED}
    inputs = (
        In("X", T, "[batch, input_size]", rank=2),
        In("initial_hidden_state", T, "[batch, hidden_size]", rank=2),
        In("initial_cell_state", T, "[batch, hidden_size]", rank=2),
        In("W", T, "[4 * hidden_size, input_size]", rank=2),
        In("R", T, "[4 * hidden_size, hidden_size]", rank=2),
        In("B", T, "[4 * hidden_size], the sum of both biases", rank=1, optional=True),
    )
    outputs = (Out("Ho", T, "[batch, hidden_size]"), Out("Co", T, "[batch, hidden_size]"))
    legacy = LEFT_BY_CELLS
    multiply_adds = of_weights(w=3, r=4)
    factors = (0, 1, 3, 4)

    hidden_size: int = attr(doc="size of the hidden state", ge=0, openvino=0)
    activations: tuple[str, ...] = attr(
        _DEFAULT, doc="of the gates, of the cell input and of the cell output; each sigmoid, tanh or relu"
    )
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(math.inf, doc="bound of the arguments of the activations; 0 means no bound", ge=0)

    def verify(self) -> None:
        activation_names(self.activations, _DEFAULT)

    def infer(self, x: Fact, hidden: Fact, cell: Fact, w: Fact, r: Fact, b: Fact | None) -> tuple[Shape, ...]:
        return infer_cell(self.hidden_size, 4, x, [hidden, cell], w, r, b)

    def run(self, x: Array, hidden: Array, cell: Array, w: Array, r: Array, b: Array | None) -> tuple[Array, ...]:
        return run_cell(
            Lstm(activation_names(self.activations, _DEFAULT), self.clip), x, (hidden, cell), DirectionWeights(w, r, b)
        )
