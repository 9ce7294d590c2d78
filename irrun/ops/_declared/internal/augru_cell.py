from __future__ import annotations

from irrun.kernels.recurrent import DirectionWeights, Gru, run_cell
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.recurrent import activation_names, infer_cell
from irrun.ops.shapes import merge_dims
from irrun.ops.work import of_weights
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("AUGRUCell", opset="ie_internal_opset", page="augru-cell")
class AUGRUCell(Op):
    """A step of a gated recurrent unit whose update gate is reduced by an attention score.

    Gates are in the order z, r, h.
    """

    departures = {"case": "accepts names of activations in lower case only"}
    workarounds = {"case": "names in lower case"}

    inputs = (
        In("X", T, "[batch, input_size]", rank=2),
        In("H_t", T, "[batch, hidden_size]", rank=2),
        In("W", T, "[3 * hidden_size, input_size]", rank=2),
        In("R", T, "[3 * hidden_size, hidden_size]", rank=2),
        In("B", T, "[3 * hidden_size]", rank=1),
        In("A", T, "the attention score, [batch, 1]", rank=2),
    )
    outputs = (Out("Ho", T, "[batch, hidden_size]"),)
    multiply_adds = of_weights(w=2, r=3)

    hidden_size: int = attr(doc="size of the hidden state", gt=0)
    activations: tuple[str, ...] = attr(("sigmoid", "tanh"), doc="of the gates and of the candidate")
    activations_alpha: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    activations_beta: tuple[float, ...] = attr((), doc="parameters, which no allowed activation has")
    clip: float = attr(0.0, doc="bound of the arguments of the activations; only 0, which is none", ge=0, le=0)
    linear_before_reset: bool = attr(False, doc="only false")

    def verify(self) -> None:
        verify_augru(self.activations, self.linear_before_reset)

    def infer(self, x: Fact, hidden: Fact, w: Fact, r: Fact, b: Fact, attention: Fact) -> Shape:
        (state,) = infer_cell(self.hidden_size, 3, x, [hidden], w, r, b)
        return Shape([score_batch(attention, state[0], 5, []), state[1]])

    def run(self, x: Array, hidden: Array, w: Array, r: Array, b: Array, attention: Array) -> tuple[Array, ...]:
        return run_cell(Gru(("sigmoid", "tanh")), x, (hidden,), DirectionWeights(w, r, b), attention)


def verify_augru(activations: tuple[str, ...], linear_before_reset: bool) -> None:
    """Raise OpError where an attribute does not have its only allowed value."""
    if activation_names(activations, ("sigmoid", "tanh")) != ("sigmoid", "tanh"):
        raise OpError(f"activations is {', '.join(activations)}, expected sigmoid, tanh", attribute="activations")
    if linear_before_reset:
        raise OpError("linear_before_reset is true, expected false", attribute="linear_before_reset")


def score_batch(attention: Fact, batch: Dim, index: int, steps: list[Dim]) -> Dim:
    """Check the attention score [batch, *steps, 1] at input ``index``, and return the batch size."""
    if attention.shape.dims is None:
        return batch
    if not attention.shape[-1].admits(1):
        raise OpError(f"the last size of the attention score {attention.shape} is not 1", input=index)
    for size, step in zip(attention.shape[1:-1], steps, strict=True):
        merge_dims(step, size, "the steps of X and of the attention score", input=index)
    return merge_dims(batch, attention.shape[0], "the batch sizes", input=index)
