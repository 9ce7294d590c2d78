"""All passes in their order: when each has something to do, and the passes that must run before it, with the reason.

A pass is imported once a graph needs it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

from irrun.graph import Outlet
from irrun.ops import Op
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.tensor.element_type import F32

if TYPE_CHECKING:
    from irrun.optimize.rewrite import Rewriter


class ScheduledPass(NamedTuple):
    """A pass: its name, which is that of its module, when it has something to do, and the passes before it."""

    name: str
    when: Callable[[Rewriter], bool]
    after: Mapping[str, str] = MappingProxyType({})

    def module(self) -> ModuleType:
        return importlib.import_module(f"irrun.optimize.passes.{self.name.replace('-', '_')}")

    def run(self, graph: Rewriter) -> None:
        """Rewrite a graph, if there is something to do."""
        if self.when(graph):
            self.module().run(graph)


def always(_graph: Rewriter) -> bool:
    return True


def has(*types: str) -> Callable[[Rewriter], bool]:
    """Ask for layers of one of these types, of the model or made by a pass."""
    return lambda graph: not graph.types.isdisjoint(types)


def attends(graph: Rewriter) -> bool:
    """Return whether there may be attention: its scores are softmaxed as a stack of matrices."""
    nodes = graph.nodes("ScaledDotProductAttention", "SoftMax")
    facts = (graph.fact(Outlet(node.id, 0)) for node in nodes)
    return any(fact is not None and fact.rank is not None and fact.rank > 2 for fact in facts)


def rotates(graph: Rewriter) -> bool:
    """Return whether there may be rotary embeddings: halves that are concatenated and multiplied."""
    return {"Concat", "Multiply"} <= graph.types and not graph.types.isdisjoint(("Slice", "Split", "VariadicSplit"))


def computes_elementwise(graph: Rewriter) -> bool:
    """Return whether a function of each element is left that no product applies."""
    return any(_is_elementwise(node.op) for node in graph.nodes())


def _is_elementwise(op: Op | None) -> bool:
    return op is not None and (isinstance(op, Binary) or type(op).elementwise is not Op.elementwise)


def shares_data(graph: Rewriter) -> bool:
    """Return whether several convolutions read the same tensor."""
    read = [graph.sources(node.id)[0] for node in graph.nodes("FusedConvolution")]
    return len(set(read)) < len(read)


def is_packed(graph: Rewriter) -> bool:
    """Return whether weights are stored in few bits."""
    return graph.has_packed


def has_levels(graph: Rewriter) -> bool:
    """Return whether activations are quantised, or weights might have been for such."""
    return is_packed(graph) or "FakeQuantize" in graph.types


def rounds(graph: Rewriter) -> bool:
    """Return whether the operands of products are rounded."""
    return graph.settings.precision is not F32


WHOLE_PATTERNS: Final = {"remove-needless": "layers that change nothing would interrupt a pattern"}
ONE_ACTIVATION: Final = {"fuse-activations": "an activation of several layers fits the epilogue as one"}
OTHER_EPILOGUES: Final = {
    "fuse-attention": "a product must not claim the scale or the mask for its epilogue",
    "fuse-normalization": "a product must not claim the factors of a normalisation for its epilogue",
}
PRODUCTS: Final = ("fuse-convolution", "fuse-transposed-convolution", "fuse-matmul", "keep-packed")
"""Reasons that several passes have, and the passes that make products with an epilogue."""

PASSES: Final = (
    ScheduledPass("fold-known-values", always),
    ScheduledPass(
        "fuse-recurrence",
        has("LSTMSequence", "GRUSequence", "RNNSequence"),
        {"fold-known-values": "sequence lengths are often computed from a shape"},
    ),
    ScheduledPass("pool-values-only", has("MaxPool")),
    ScheduledPass(
        "remove-needless", always, {"fold-known-values": "a Reshape is seen to change nothing once its target is known"}
    ),
    ScheduledPass(
        "merge-duplicates", always, {"remove-needless": "layers that change nothing hide that others read the same"}
    ),
    ScheduledPass("append-in-place", has("ReadValue"), WHOLE_PATTERNS),
    ScheduledPass(
        "fuse-activations",
        has("Sigmoid", "Erf", "Tanh", "PReLU", "Maximum"),
        WHOLE_PATTERNS,
    ),
    ScheduledPass(
        "fuse-attention",
        attends,
        WHOLE_PATTERNS,
    ),
    ScheduledPass(
        "fuse-normalization",
        has("MVN", "ReduceMean"),
        WHOLE_PATTERNS,
    ),
    ScheduledPass(
        "fuse-rotary",
        rotates,
        WHOLE_PATTERNS,
    ),
    ScheduledPass(
        "compute-in-integers",
        has_levels,
        {
            "fold-known-values": "limits of a FakeQuantize may be computed from constants",
            **ONE_ACTIVATION,
            **OTHER_EPILOGUES,
            "pool-values-only": "levels are pooled without indices",
        },
    ),
    ScheduledPass(
        "fuse-convolution",
        has("Convolution", "GroupConvolution"),
        {
            "compute-in-integers": "weights that it does not take become floats",
            **ONE_ACTIVATION,
        },
    ),
    ScheduledPass(
        "fuse-transposed-convolution",
        has("ConvolutionBackpropData", "GroupConvolutionBackpropData"),
        ONE_ACTIVATION,
    ),
    ScheduledPass("join-convolutions", shares_data, {"fuse-convolution": "it joins convolutions with their epilogues"}),
    ScheduledPass(
        "keep-packed",
        is_packed,
        {
            "compute-in-integers": "weights that meet quantised activations stay integers",
            **ONE_ACTIVATION,
            **OTHER_EPILOGUES,
        },
    ),
    ScheduledPass(
        "fuse-matmul",
        has("MatMul"),
        {
            **ONE_ACTIVATION,
            **OTHER_EPILOGUES,
            "keep-packed": "weights that stay packed are no constants",
        },
    ),
    ScheduledPass(
        "fuse-elementwise",
        computes_elementwise,
        {
            **dict.fromkeys(PRODUCTS, "the epilogue of a product costs less than a chain of its own"),
            **dict.fromkeys(("fuse-normalization", "fuse-rotary"), "a chain would hide the pattern"),
            "fuse-attention": "scale and mask belong to the attention",
        },
    ),
    ScheduledPass(
        "fuse-concat",
        has("Concat"),
        {"append-in-place": "a variable that grows in place needs no Concat"},
    ),
    ScheduledPass(
        "share-keys",
        has("FusedAttention"),
        {"fuse-attention": "only an attention that is already fused can share its keys"},
    ),
    ScheduledPass(
        "precompute-views",
        always,
        {
            "share-keys": "it looks for the Unsqueeze and the Reshape around a Broadcast",
            "remove-needless": "it removes a Reshape or a Transpose, not the FusedView of one",
        },
    ),
    ScheduledPass(
        "round-operands",
        rounds,
        {
            "append-in-place": "the value of a variable stays f32",
            "fuse-concat": "parts of a tensor are f32",
            "fuse-elementwise": "a chain of functions computes in f32",
            **dict.fromkeys(("fuse-matmul", "fuse-transposed-convolution"), "it rounds the weights of what that makes"),
            "fuse-recurrence": "the operands of recurrences stay f32",
            "join-convolutions": "convolutions of the same tensor round it once",
            "precompute-views": "a view moves bits as it moves numbers",
            "share-keys": "it rounds what attention multiplies",
        },
    ),
)
