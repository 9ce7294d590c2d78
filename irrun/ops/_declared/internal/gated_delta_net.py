from __future__ import annotations

from irrun.kernels.normalization import unit_norm
from irrun.kernels.state_space import gated_delta
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.internal.sizes import agreed_sizes, check_groups
from irrun.tensor.element_type import BF16, F16, F32

FLOATS = frozenset({F32, F16, BF16})
T = TypeVar("T", FLOATS)
TS = TypeVar("T_STATE", FLOATS)

_AXES = (
    "batch tokens groups key_size",
    "batch tokens groups key_size",
    "batch tokens heads value_size",
    "batch heads key_size value_size",
    "batch tokens heads",
    "batch tokens heads",
)


@op("GatedDeltaNet", opset="extension", page="gated-delta-net")
class GatedDeltaNet(Op):
    """Linear attention over tokens: a state matrix decays by a gate and is corrected by the delta rule.

    Each group of queries and keys is shared by equally many successive heads of values.

    Note: the page calls fuse_qk_l2norm use_qk_l2norm; the name here is the one used in IRs.
    """

    inputs = (
        In("query", T, "[batch, tokens, groups, key_size]; divided by the root of key_size", rank=4),
        In("key", FLOATS, "[batch, tokens, groups, key_size]", rank=4),
        In("value", FLOATS, "[batch, tokens, heads, value_size]", rank=4),
        In("recurrent_state", TS, "the state before the first token, [batch, heads, key_size, value_size]", rank=4),
        In("gate", FLOATS, "logarithm of the decay factor of the state, [batch, tokens, heads]", rank=3),
        In("beta", FLOATS, "the share of the correction that is written, [batch, tokens, heads]", rank=3),
    )
    outputs = (
        Out("output_attn", T, "[batch, tokens, heads, value_size]"),
        Out("output_recurrent_state", TS, "the state after the last token, [batch, heads, key_size, value_size]"),
    )

    fuse_qk_l2norm: bool = attr(False, doc="whether query and key are divided by their L2 norms first")
    q_l2_norm_eps: float = attr(1e-6, doc="added to the sum of squares of a query", ge=0)
    k_l2_norm_eps: float = attr(1e-6, doc="added to the sum of squares of a key", ge=0)

    def infer(self, *inputs: Fact) -> tuple[Shape, ...]:
        sizes = agreed_sizes(inputs, _AXES)
        check_groups(sizes, "groups", 2)
        batch, tokens, heads = sizes["batch"], sizes["tokens"], sizes["heads"]
        return (
            Shape([batch, tokens, heads, sizes["value_size"]]),
            Shape([batch, heads, sizes["key_size"], sizes["value_size"]]),
        )

    def run(
        self, query: Array, key: Array, value: Array, state: Array, gate: Array, beta: Array
    ) -> tuple[Array, Array]:
        if self.fuse_qk_l2norm:
            query = unit_norm(query, (-1,), self.q_l2_norm_eps, at_least=False)
            key = unit_norm(key, (-1,), self.k_l2_norm_eps, at_least=False)
        return gated_delta(query, key, value, state, gate, beta)
