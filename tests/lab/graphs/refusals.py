"""Messages with which the native plugin refuses sound models, as far as no departure of a layer foresees them."""

from __future__ import annotations

from typing import Final, NamedTuple

from irrun.tensor import Fact
from tests.lab.graphs.evaluate import infer_graph, infer_layer
from tests.lab.graphs.graph import Graph, Layer


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
        "The memory desc is undefined",
        "",
        "layers of constants whose output has a dynamic shape are computed too early",
    ),
    Refusal("Layout rank can't be larger", "ScaledDotProductAttention", "a mask of two axes with one element"),
    Refusal("m_element_type.is_static()", "MatMul", "fails in constant folding of a product with compressed weights"),
    Refusal("m_element_type.is_static()", "Convolution", "fails in constant folding with compressed weights"),
    Refusal("padded shape size overflows", "SpaceToBatch", "reads i32 as i64 where its data is computed once"),
    Refusal("std::bad_alloc", "SpaceToBatch", "reads i32 as i64 where its data is computed once"),
    Refusal("has inputs num equal 1", "Squeeze", "requires axes where sizes are dynamic"),
    Refusal("unsupported src_prc: f64", "FakeQuantize", "low precision refuses f64 elsewhere in the model"),
    Refusal("Input tensor rank must be 2, 3 or 4 dimensional", "GRN", "a Reshape before it is omitted"),
)


def refusal(message: str, graph: Graph) -> Refusal | None:
    """Why OpenVINO refuses a sound model with this message."""
    return next((row for row in REFUSALS if row.words in message and row.layers(graph)), None)
