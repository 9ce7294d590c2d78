from __future__ import annotations

from irrun.kernels.state_space import selective_scan
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.internal.sizes import agreed_sizes, check_groups
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)

_AXES = (
    "heads",
    "batch tokens heads",
    "batch tokens groups state_size",
    "batch tokens heads head_size",
    "batch tokens groups state_size",
    "batch heads head_size state_size",
)


@op("SelectiveSSM", opset="extension", page="selective-ssm")
class SelectiveSSM(Op):
    """Selective state-space model: a linear recurrence over tokens whose decay and input depend on the token.

    Each group of B and C is shared by equally many successive heads.
    """

    inputs = (
        In("A", T, "rate of decay, [heads]", rank=1),
        In("dt", T, "length of each step, [batch, tokens, heads]", rank=3),
        In("B", T, "factor of the input, [batch, tokens, groups, state_size]", rank=4),
        In("x", T, "[batch, tokens, heads, head_size]", rank=4),
        In("C", T, "factor of the output, [batch, tokens, groups, state_size]", rank=4),
        In("recurrent_state", T, "the state before the first token, [batch, heads, head_size, state_size]", rank=4),
    )
    outputs = (
        Out("output", T, "[batch, tokens, heads, head_size]"),
        Out("output_recurrent_state", T, "the state after the last token, [batch, heads, head_size, state_size]"),
    )

    def infer(self, *inputs: Fact) -> tuple[Shape, ...]:
        sizes = agreed_sizes(inputs, _AXES)
        check_groups(sizes, "groups", 3)
        batch, heads, size = sizes["batch"], sizes["heads"], sizes["head_size"]
        return Shape([batch, sizes["tokens"], heads, size]), Shape([batch, heads, size, sizes["state_size"]])

    def run(self, a: Array, dt: Array, b: Array, x: Array, c: Array, state: Array) -> tuple[Array, Array]:
        return selective_scan(a, dt, b, x, c, state)
