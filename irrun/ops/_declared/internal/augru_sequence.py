from __future__ import annotations

from typing import Literal

from irrun.kernels.recurrent import Gru, run_sequence
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.internal.augru_cell import score_batch, verify_augru
from irrun.ops._declared.sequence.recurrent import infer_sequence, weights_of
from irrun.ops.declaration import CUT
from irrun.ops.work import of_weights
from irrun.tensor.element_type import FLOAT, INTEGER

T1 = TypeVar("T1", FLOAT)


@op("AUGRUSequence", opset="ie_internal_opset", page="augru-sequence")
class AUGRUSequence(Op):
    """A gated recurrent unit with attention over sequences: each step is an AUGRUCell.

    Note: outputs after the end of a sequence are zeros, and so is the final state of an empty sequence.
    """

    departures = {"lengths": "refuses sequences of different lengths", "one step": "refuses a sequence of one step"}

    inputs = (
        In("X", T1, "[batch, steps, input_size]", rank=3),
        In("H_t", T1, "[batch, 1, hidden_size]", rank=3),
        In("sequence_lengths", INTEGER, "[batch]", rank=1, also=CUT),
        In("W", T1, "[1, 3 * hidden_size, input_size]", rank=3),
        In("R", T1, "[1, 3 * hidden_size, hidden_size]", rank=3),
        In("B", T1, "[1, 3 * hidden_size]", rank=2),
        In("A", T1, "the attention scores, [batch, steps, 1]", rank=3),
    )
    outputs = (Out("Y", T1, "[batch, 1, steps, hidden_size]"), Out("Ho", T1, "[batch, 1, hidden_size]"))
    multiply_adds = of_weights(w=3, r=4)

    hidden_size: int = attr(doc="size of the hidden state", gt=0)
    activations: tuple[str, ...] = attr(("sigmoid", "tanh"), doc="of the gates and of the candidate")
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(0.0, doc="bound of the arguments of the activations; only 0, which is none", ge=0, le=0)
    direction: Literal["forward"] = attr("forward", doc="the order in which steps are run")
    linear_before_reset: bool = attr(False, doc="only false")

    def verify(self) -> None:
        verify_augru(self.activations, self.linear_before_reset)

    def infer(
        self, x: Fact, hidden: Fact, lengths: Fact, w: Fact, r: Fact, b: Fact, attention: Fact
    ) -> tuple[Shape, ...]:
        all_states, last = infer_sequence(self.hidden_size, 3, self.direction, x, [hidden], lengths, w, r, b)
        batch = score_batch(attention, last[0], 6, [all_states[2]])
        return Shape([batch, *all_states[1:]]), Shape([batch, *last[1:]])

    def run(
        self, x: Array, hidden: Array, lengths: Array, w: Array, r: Array, b: Array, attention: Array
    ) -> tuple[Array, ...]:
        cell = Gru(("sigmoid", "tanh"))
        return run_sequence(cell, x, (hidden,), lengths, weights_of(w, r, b), (False,), attention)
