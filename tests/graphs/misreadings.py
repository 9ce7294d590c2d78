"""What the native plugin does wrong with layers that belong together, as far as no single layer departs.

Each rule names the layers to cut off: it explains a finding only where nothing is wrong without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from irrun.tensor.element_type import BF16
from tests.graphs import misread_bodies
from tests.graphs.departures.arithmetic import BINARY
from tests.graphs.evaluate import infer_graph
from tests.graphs.failure import Failure
from tests.graphs.graph import Graph, Source, ancestors, variable

_REDUCTIONS: Final = ("ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum")
_LINEAR: Final = ("Add", "BatchNormInference", "Divide", "Multiply", "Subtract")
_PRODUCTS: Final = ("Convolution", "GroupConvolution", "MatMul")


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
    return {index for index, layer, _ in pairs if layer.op.levels == 255}


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


def _converted_variables(failure: Failure) -> set[int]:
    return {index for index, _, _ in failure.pairs(("ReadValue",), ("Convert", "ConvertLike"))}


def _attention_of_bf16(failure: Failure) -> set[int]:
    pairs = failure.pairs(("SoftMax",), ("MatMul",))
    return {index for index, _, _ in pairs if failure.facts[Source(index)].type is BF16}


def _scaled_last_axis(failure: Failure) -> set[int]:
    """Products with constants that have a last axis, but not all axes of the data."""
    found = set()
    for index, layer, _ in failure.pairs(("Multiply",), ("Convolution", "GroupConvolution")):
        for data, factor in (layer.sources, layer.sources[::-1]):
            shape, rank = failure.facts[factor].shape, failure.facts[data].rank
            if failure.facts[factor].constant is not None and rank is not None and shape.dims and shape[-1].hi > 1:
                found |= {index} if len(shape.dims) < rank else set()
    return found


def _transposed_image(failure: Failure) -> set[int]:
    pairs = failure.pairs(("Transpose",), ("Convolution",))
    return {index for index, _, layer in pairs if layer.sources[0].node == index and failure.has_computed_kernel(layer)}


def _normalized_rows(failure: Failure) -> set[int]:
    after = {index for index, _, _ in failure.pairs(("GRUSequence", "LSTMSequence", "RNNSequence"), ("GRN",))}
    return after | {index for index, layer in failure.layers("GRN") if failure.facts[layer.sources[0]].rank == 3}


def _reshaped_scalar(failure: Failure) -> set[int]:
    pairs = failure.pairs(("Reshape", "Squeeze"), BINARY)
    return {index for index, _, layer in pairs if failure.facts[Source(index)].rank == 0 and len(layer.sources) == 2}


def _empty_rows(failure: Failure) -> set[int]:
    pairs = failure.pairs(("SparseFillEmptyRows",), BINARY)
    return {index for index, _, layer in pairs if Source(index, 2) in layer.sources}


def _computed_once(failure: Failure) -> set[int]:
    pairs = failure.pairs(("Inverse", "MVN"), ("Einsum", "MatMul", "Reshape"))
    return {index for index, layer, reader in pairs if failure.is_constant(layer) and failure.is_constant(reader)}


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
    "If: leaves dynamic outputs in another layout than a Convolution reads": misread_bodies.convolution_of_a_branch,
    "TensorIterator: forgets how many slices there are that nobody reads": misread_bodies.forgotten_slices,
    "If: gives away the memory of outputs whose sizes are not told": misread_bodies.dynamic_branches,
    "ReadValue: rounds, or reads another type, where a Convert comes after": _converted_variables,
    "SoftMax: errs before a MatMul of bf16": _attention_of_bf16,
    "Multiply: a Convolution scales its kernel by a factor of fewer axes": _scaled_last_axis,
    "Convolution: leaves out a Transpose before compressed kernels": _transposed_image,
    "GRN: leaves out a Reshape or Squeeze before it": _normalized_rows,
    "Reshape: an axis of what a scalar is combined with is left out": _reshaped_scalar,
    "SparseFillEmptyRows: its booleans lose their sizes": _empty_rows,
    "Inverse, MVN: give away memory of what they compute once": _computed_once,
    "Loop, TensorIterator: overwrites a state that another one becomes": misread_bodies.exchanged_states,
    "Assign: does not write a constant that a loop hands on": misread_bodies.constant_states,
}
