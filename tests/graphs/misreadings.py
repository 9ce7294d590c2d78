"""What the native plugin does wrong with layers that belong together, as far as no single layer departs.

Each rule names the layers to cut off: it explains a finding only where nothing is wrong without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from tests.graphs.evaluate import Facts, infer_graph
from tests.graphs.graph import Body, Graph, Layer, Source, ancestors, variable

_REDUCTIONS: Final = ("ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum")
_LINEAR: Final = ("Add", "BatchNormInference", "Divide", "Multiply", "Subtract")
_PRODUCTS: Final = ("Convolution", "GroupConvolution", "MatMul")


class Failure(NamedTuple):
    """A graph, what is inferred of it, and what the finding says."""

    graph: Graph
    facts: Facts
    text: str

    def layers(self, *types: str) -> Iterator[tuple[int, Layer]]:
        """The outermost layers of some types, or all, by index."""
        for index, node in enumerate(self.graph.nodes):
            if isinstance(node, Layer) and (not types or node.op.type in types):
                yield index, node

    def pairs(self, first: tuple[str, ...], second: tuple[str, ...] = ()) -> Iterator[tuple[int, Layer, Layer]]:
        """Layers of the first types with those of the second ones, or any, that read them; the index is the first's."""
        for _, layer in self.layers(*second):
            for source in layer.sources:
                producer = self.graph.nodes[source.node]
                if isinstance(producer, Layer) and producer.op.type in first:
                    yield source.node, producer, layer

    def is_constant(self, layer: Layer) -> bool:
        """Whether a layer reads constants alone."""
        return bool(layer.sources) and all(self.facts[source].constant is not None for source in layer.sources)

    def has_computed_kernel(self, layer: Layer) -> bool:
        """Whether the kernel of a product is computed of constants."""
        kernel = layer.sources[1]
        return self.facts[kernel].constant is not None and isinstance(self.graph.nodes[kernel.node], Layer)


Rule = Callable[[Failure], set[int]]


def misreadings(graph: Graph, text: str) -> Iterator[tuple[str, set[int]]]:
    """Why OpenVINO may crash, or give wrong values as ``text`` says, and the layers without which it should not."""
    failure = Failure(graph, infer_graph(graph), text)
    for reason, rule in MISREADINGS.items():
        found = rule(failure)
        if found:
            yield reason, found


def _several_variables(failure: Failure) -> set[int]:
    reads = list(failure.layers("ReadValue"))
    several = len({variable(layer) for _, layer in reads}) > 1
    return {index for index, _ in reads} if several else set()


def _begins_with_what_is_written(failure: Failure) -> set[int]:
    written = {variable(layer): layer.sources[0].node for _, layer in failure.layers("Assign")}
    found = set()
    for index, layer in failure.layers("ReadValue"):
        begins = set().union(*(ancestors(failure.graph.nodes, source.node) for source in layer.sources))
        if written.get(variable(layer)) in begins:
            found.add(index)
    return found


def _second_inference_of_constants(failure: Failure) -> set[int]:
    if "of inference 1" not in failure.text:
        return set()
    return {index for index, layer in failure.layers() if failure.is_constant(layer)}


def _constant_product(failure: Failure) -> set[int]:
    return {
        index
        for index, layer in failure.layers(*_PRODUCTS)
        if failure.is_constant(layer) and failure.has_computed_kernel(layer)
    }


def _constants_of_open_size(failure: Failure) -> set[int]:
    return {index for index, layer in failure.layers("NonZero", "Unique") if failure.is_constant(layer)}


def _shared_quantized_constant(failure: Failure) -> set[int]:
    used = Counter(source.node for _, layer in failure.layers() for source in layer.sources)
    return {i for i, layer in failure.layers("FakeQuantize") if failure.is_constant(layer) and used[i] > 1}


def _padded_quantized(failure: Failure) -> set[int]:
    return {index for index, _, _ in failure.pairs(("FakeQuantize",), ("SpaceToBatch",))}


def _quantized_gather(failure: Failure) -> set[int]:
    pairs = failure.pairs(("FakeQuantize",), ("Gather",))
    return {index for index, _, layer in pairs if failure.facts[layer.sources[1]].rank == 0}


def _quantized_by_stored(failure: Failure) -> set[int]:
    pairs = failure.pairs(("FakeQuantize",), _PRODUCTS)
    return {index for index, _, layer in pairs if layer.sources[0].node == index and failure.has_computed_kernel(layer)}


def _odd_levels(failure: Failure) -> set[int]:
    pairs = failure.pairs(("FakeQuantize",))
    return {index for index, layer, _ in pairs if layer.op.levels == 255 and not failure.is_constant(layer)}


def _nan_inside(failure: Failure) -> set[int]:
    return {index for index, _, _ in failure.pairs(("ErfInv",), ("IsNaN",))}


def _scaled_reduction(failure: Failure) -> set[int]:
    return {index for index, layer, _ in failure.pairs(_REDUCTIONS, _LINEAR) if not layer.op.keep_dims}


def _several_deformable(failure: Failure) -> set[int]:
    found = list(failure.layers("DeformableConvolution"))
    pads = {getattr(layer.op, "bilinear_interpolation_pad", False) for _, layer in found}
    return {index for index, _ in found} if len(pads) > 1 else set()


def _divided_normalization(failure: Failure) -> set[int]:
    return {index for index, _, _ in failure.pairs(("GroupNormalization",), ("Divide",))}


def _normalized_sequence(failure: Failure) -> set[int]:
    sequences = ("GRUSequence", "LSTMSequence", "RNNSequence")
    return {index for index, _, _ in failure.pairs(sequences, ("BatchNormInference",))}


def _small_compressed_convolution(failure: Failure) -> set[int]:
    found = set()
    for index, layer in failure.layers("Convolution"):
        dims = failure.facts[layer.sources[0]].shape.dims
        if dims is not None and all(dim == 1 for dim in dims[2:]) and failure.has_computed_kernel(layer):
            found.add(index)
    return found


def _convolution_of_a_branch(failure: Failure) -> set[int]:
    branches = {i for i, _ in failure.layers("If") if not failure.facts[Source(i)].shape.is_static}
    read = [ancestors(failure.graph.nodes, layer.sources[0].node) for _, layer in failure.layers("Convolution")]
    return branches.intersection(*[set().union(*read)])


def _forgotten_slices(failure: Failure) -> set[int]:
    """Layers of which no output whose elements are read depends on the slices."""
    read = {source for _, layer in failure.layers() if layer.op.type != "ShapeOf" for source in layer.sources}
    read |= {*failure.graph.results}
    return {
        index
        for index, layer in failure.layers("Loop", "TensorIterator")
        if not _reads_slices(layer.bodies["body"], {source.port for source in read if source.node == index})
    }


def _reads_slices(body: Body, outputs: set[int]) -> bool:
    """Whether these outputs of a layer depend on all slices of its inputs."""
    inputs, back = body.graph.inputs, {parameter: result for result, parameter in body.ports.back_edges}
    waiting = {e.internal for e in body.ports.outputs if e.external is None or e.external in outputs}
    done: set[int] = set()
    reached: set[int] = set()
    while waiting:
        done |= waiting
        for result in waiting:
            reached |= ancestors(body.graph.nodes, body.graph.results[result].node)
        waiting = {back[number] for number, node in enumerate(inputs) if node in reached and number in back} - done
    return all(inputs[entry.internal] in reached for entry in body.ports.inputs if entry.axis is not None)


MISREADINGS: Final[dict[str, Rule]] = {
    "ReadValue: corrupts its memory where there are several variables": _several_variables,
    "ReadValue: reads what is written where a variable begins with the same tensor": _begins_with_what_is_written,
    "constants: overwrites in place what it computes once": _second_inference_of_constants,
    "constants: errs in folding products with compressed weights": _constant_product,
    "constants: reads those of open size before they are computed": _constants_of_open_size,
    "FakeQuantize: forgets the scale where several layers use a quantized constant": _shared_quantized_constant,
    "FakeQuantize: a SpaceToBatch pads with the quantized zero": _padded_quantized,
    "FakeQuantize: a Gather of one index keeps its axis": _quantized_gather,
    "FakeQuantize: moves levels by half a step before a product with stored weights": _quantized_by_stored,
    "FakeQuantize: takes 255 levels of a tensor for 256 before layers of low precision": _odd_levels,
    "ErfInv: an IsNaN sees NaN of an inner step": _nan_inside,
    "reductions: takes one scale for all where a linear layer comes after": _scaled_reduction,
    "DeformableConvolution: takes bilinear_interpolation_pad of another one": _several_deformable,
    "GroupNormalization: crashes before a Divide": _divided_normalization,
    "sequences: leaves out the Squeeze before a BatchNormInference": _normalized_sequence,
    "Convolution: multiplies images of one element wrongly with compressed kernels": _small_compressed_convolution,
    "If: leaves dynamic outputs in another layout than a Convolution reads": _convolution_of_a_branch,
    "TensorIterator: forgets how many slices there are that nobody reads": _forgotten_slices,
}
