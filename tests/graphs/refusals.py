"""Messages with which the native plugin refuses sound models, as far as no departure of a layer foresees them."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.graphs.graph import Graph


class Refusal(NamedTuple):
    """Words of a message, a layer without which it would be another fault, and the reason."""

    words: str
    type: str
    reason: str


REFUSALS: Final = (
    Refusal(
        "could not create a primitive descriptor for the deconvolution",
        "",
        "oneDNN has no such transposed convolution",
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
    Refusal("element::Type::merge(merged_type, then_node_result", "If", "types change in one branch only"),
    Refusal("TRShape::broadcast_merge_into", "FakeQuantize", "moves scales behind layers that change their axis"),
    Refusal("padded shape size overflows", "SpaceToBatch", "reads i32 as i64 where its data is computed once"),
    Refusal("std::bad_alloc", "SpaceToBatch", "reads i32 as i64 where its data is computed once"),
    Refusal("is not representable as pointer to f32", "If", "f16 and bf16 turn into f32 in one branch only"),
    Refusal("Check 'data.size() == OC' failed", "PReLU", "takes the last axis of a product for its channels"),
    Refusal("not implemented for op: opset12::GroupNormalization", "GroupNormalization", "not in bodies"),
    Refusal("group_convolution_shape_inference", "TensorIterator", "takes the size of what it joins for 0"),
    Refusal("descInConfSize <= getParentEdges().size()", "ReadValue", "a variable loses its inputs"),
    Refusal("has inputs num equal 1", "Squeeze", "demands axes where sizes are not told"),
    Refusal("Check 'data.size() == OC' failed", "MatMul", "adds a bias where sizes are not told"),
    Refusal("contains empty child edge", "", "leaves constants behind that nobody reads"),
    Refusal("unsupported src_prc: f64", "FakeQuantize", "low precision refuses f64 elsewhere in the model"),
    Refusal("src/core/src/op/select.cpp", "Select", "booleans turn into u8, and a Convert to u8 is left out"),
    Refusal("No nested TensorIterator", "TensorIterator", "sequences become TensorIterators in its body"),
    Refusal("Supported precisions set is not available for", "", "fuses what it has no code for in this type"),
    Refusal("[StridedSliceTransformation]", "FakeQuantize", "a StridedSlice of a quantized constant"),
    Refusal("contains dead weak ptr", "ReadValue", "variables that nobody reads are left out, their layers are not"),
    Refusal(
        "Value for partial shape evaluation can't be lower than zero",
        "",
        "a size that is told by its bounds may seem negative",
    ),
    Refusal("Layout rank can't be larger than tensor rank", "", "its attention demands other ranks"),
    Refusal("low precision transformation for", "", "low precision of bf16 and f16 fails"),
    Refusal("Evaluation failed on opset5::Loop", "Loop", "errs in folding it in a body"),
    Refusal("has not compiled executor", "Pad", "a Pad in a body whose pads are computed"),
    Refusal("does not support f64 for use with oneDNN", "", "oneDNN has no f64"),
    Refusal("Input tensor rank must be 2, 3 or 4 dimensional", "GRN", "a Reshape before it is left out"),
    Refusal("[MoveReadValueInputsToSubgraph] END", "ReadValue", "a layer of several outputs before it is moved"),
    Refusal("Model references undeclared parameters", "ReadValue", "a Parameter is moved into the layers before it"),
    Refusal("vector::_M_range_check", "Loop", "ports that nobody uses are left out, the others are miscounted"),
    Refusal("is not representable as pointer to i64", "BatchToSpace", "integers turn into i32 around FakeQuantize"),
)


def refusal(message: str, graph: Graph) -> str | None:
    """Why OpenVINO refuses a sound model with this message."""
    types = {"", *(layer.op.type for layer in graph.layers)}
    found = next((row for row in REFUSALS if row.words in message and row.type in types), None)
    return None if found is None else f"{found.type or 'refused'}: {found.reason}"
