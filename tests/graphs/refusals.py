"""Messages with which the native plugin refuses sound models, as far as no departure of a layer foresees them."""

from __future__ import annotations

from typing import Final, NamedTuple

from irrun.tensor import Fact
from tests.graphs.evaluate import infer_graph, infer_layer
from tests.graphs.graph import Graph, Layer


class Refusal(NamedTuple):
    """Words of a message, the type of the layers that OpenVINO refuses with it, and the reason."""

    words: str
    type: str
    reason: str

    def layers(self, graph: Graph) -> set[int]:
        """The outermost layers of the type, or with one in a body; those of constants where there is no type."""
        if not self.type:
            return _sized_by_constants(graph)
        return {
            index
            for index, node in enumerate(graph.nodes)
            if isinstance(node, Layer) and any(layer.op.type == self.type for layer in Graph((node,), ()).layers)
        }

    def __str__(self) -> str:
        return f"{self.type or 'refused'}: {self.reason}"


def _sized_by_constants(graph: Graph) -> set[int]:
    """The layers of constants that determine the sizes of their outputs."""
    facts = infer_graph(graph)
    found = set()
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Layer) and all(facts[source].constant is not None for source in node.sources):
            plain = [Fact(facts[source].type, facts[source].shape) for source in node.sources]
            if not all(fact.shape.is_static for fact in infer_layer(node, plain)):
                found.add(index)
    return found


REFUSALS: Final = (
    *(
        Refusal("descriptor for the deconvolution", type, "oneDNN has no such transposed convolution")
        for type in ("ConvolutionBackpropData", "GroupConvolutionBackpropData")
    ),
    Refusal(
        "MaxPool from opset8 and opset14 is supported only with one output",
        "MaxPool",
        "indices of MaxPool in static shapes only",
    ),
    Refusal(
        "The memory desc is undefined",
        "",
        "layers of constants whose output has a dynamic shape are computed too early",
    ),
    Refusal("unsupported src_prc: boolean", "SparseFillEmptyRows", "its booleans cannot be read"),
    Refusal("SparseFillEmptyRows", "SparseFillEmptyRows", "its booleans turn into u8 on one side only"),
    Refusal("doesn't contain the operation with type: Atan2", "Atan2", "the opset of the release does not have it"),
    Refusal("doesn't contain the operation with type: LSTMSequence", "LSTMSequence", "opset1 does not have it"),
    Refusal("[SliceTransformation]", "FakeQuantize", "a Slice of a quantized constant"),
    Refusal("m_element_type.is_static()", "MatMul", "errs in folding a product with compressed weights"),
    Refusal("m_element_type.is_static()", "Convolution", "errs in folding it with compressed weights"),
    Refusal("TRShape::broadcast_merge_into", "FakeQuantize", "moves scales behind layers that change their axis"),
    Refusal("padded shape size overflows", "SpaceToBatch", "reads i32 as i64 where its data is computed once"),
    Refusal("std::bad_alloc", "SpaceToBatch", "reads i32 as i64 where its data is computed once"),
    Refusal("Check 'data.size() == OC' failed", "PReLU", "takes the last axis of a product for its channels"),
    Refusal("not implemented for op: opset12::GroupNormalization", "GroupNormalization", "not in bodies"),
    Refusal("has inputs num equal 1", "Squeeze", "demands axes where sizes are not told"),
    Refusal("Check 'data.size() == OC' failed", "MatMul", "adds a bias where sizes are not told"),
    Refusal("unsupported src_prc: f64", "FakeQuantize", "low precision refuses f64 elsewhere in the model"),
    Refusal("src/core/src/op/select.cpp", "Select", "booleans turn into u8, and a Convert to u8 is left out"),
    Refusal("[StridedSliceTransformation]", "FakeQuantize", "a StridedSlice of a quantized constant"),
    Refusal("has not compiled executor", "Pad", "a Pad in a body whose pads are computed"),
    Refusal("Input tensor rank must be 2, 3 or 4 dimensional", "GRN", "a Reshape before it is left out"),
    Refusal("is not representable as pointer to i64", "BatchToSpace", "integers turn into i32 around FakeQuantize"),
)


def refusal(message: str, graph: Graph) -> Refusal | None:
    """Why OpenVINO refuses a sound model with this message."""
    return next((row for row in REFUSALS if row.words in message and row.layers(graph)), None)
