"""Departures of layers of networks, sub-graphs and variables."""

from __future__ import annotations

from typing import Final

from irrun.tensor import Array
from irrun.tensor.element_type import BF16, BOOLEAN, F16, F32, F64, I8, I32, I64, U8
from tests.lab.graphs.departures.row import Departure, always, declared, is_constant, is_dynamic, is_last_dynamic, types
from tests.lab.graphs.evaluate import Use


def _has_empty_bag(use: Use) -> bool:
    ends = [*use.inputs[2].tolist()[1:], use.inputs[1].size]
    return any(begin == end for begin, end in zip(use.inputs[2].tolist(), ends, strict=True))


def _lengths(use: Use) -> Array:
    return use.inputs[3 if use.op.type == "LSTMSequence" else 2]


DEPARTURES: Final = (
    Departure(("LSTMSequence",), declared("LSTMSequence", "unknown"), lambda use: use.op.opset == 1),
    Departure(("GRN", "NormalizeL2"), "crashes in constant folding", lambda use: is_constant(use, 0)),
    Departure(("MVN",), "accepts axes of i32 and i64 only", lambda use: not types(use, 1) <= {I32, I64}),
    Departure(("AdaptiveMaxPool",), "refuses indices of type i64", lambda use: use.op.index_element_type == "i64"),
    Departure(
        ("MaxPool",),
        "returns indices for static shapes only, and not for bf16",
        lambda use: use.op.opset != 1 and (is_dynamic(use, 0) or use.facts[0].type is BF16),
    ),
    Departure(("RDFT", "IRDFT", "DFT", "IDFT"), declared("RDFT", "f64"), lambda use: use.facts[0].type is F64),
    Departure(
        ("GRUSequence", "LSTMSequence", "RNNSequence"),
        declared("LSTMSequence", "dynamic"),
        lambda use: (
            any(is_dynamic(use, index) for index in range(3)) and bool((_lengths(use) != use.inputs[0].shape[1]).any())
        ),
    ),
    Departure(
        ("GRUCell", "LSTMCell", "RNNCell", "GRUSequence", "LSTMSequence", "RNNSequence"),
        "requires static sizes of features and states",
        lambda use: any(is_last_dynamic(use, index) for index in (0, 1)),
    ),
    Departure(
        ("Interpolate",),
        "accepts integers of 32 and 64 bits only",
        lambda use: any(fact.type.bits < 32 for fact in use.facts[1:]),
    ),
    Departure(
        ("AUGRUCell", "AUGRUSequence"),
        declared("AUGRUCell", "case"),
        lambda use: use.op.activations != ("sigmoid", "tanh"),
    ),
    Departure(
        ("AUGRUCell", "AUGRUSequence"),
        "requires static shapes",
        lambda use: any(is_dynamic(use, index) for index in range(len(use.facts))),
    ),
    Departure(
        ("EmbeddingBagOffsets", "EmbeddingBagOffsetsSum", "EmbeddingBagPacked", "EmbeddingBagPackedSum"),
        "crashes where the table has one axis, and requires static shapes",
        lambda use: use.inputs[0].ndim < 2 or any(is_dynamic(use, index) for index in range(len(use.facts))),
    ),
    Departure(
        ("EmbeddingBagOffsets", "EmbeddingBagOffsetsSum"),
        "reads beyond the indices where the last bag is empty",
        lambda use: bool(use.inputs[2].size) and int(use.inputs[2][-1]) == use.inputs[1].size,
    ),
    Departure(
        ("ReadValue",),
        "treats variables as if they had the type of the computation",
        lambda use: use.types[0] not in (F32, F16, BF16, I32, I8, U8, BOOLEAN),
    ),
    Departure(
        ("ReadValue",),
        "starts with an empty variable where sizes of the variable are dynamic",
        lambda use: (
            bool(use.inputs) and (is_dynamic(use, 0) if use.op.opset == 3 else not use.op.variable_shape.is_static)
        ),
    ),
    Departure(
        ("GroupedMatMul",),
        "returns wrong results in constant folding",
        lambda use: is_constant(use, 0) and is_constant(use, 1),
    ),
    Departure(
        ("Convolution", "GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData"),
        "requires a static shape of the kernel",
        lambda use: is_dynamic(use, 1),
    ),
    Departure(
        ("Interpolate",),
        "folds linear_onnx along some axes only",
        lambda use: use.op.mode == ("linear" if use.op.opset == 1 else "linear_onnx") and is_constant(use, 0),
    ),
    Departure(
        ("GroupNormalization",),
        "refuses bf16",
        lambda use: use.facts[0].type is BF16,
    ),
    Departure(
        ("LSTMCell",),
        "ignores weights_format and input_forget",
        lambda use: use.op.opset == 1 and (use.op.weights_format != "fico" or bool(use.op.input_forget)),
    ),
    Departure(
        ("GRUCell", "LSTMCell", "RNNCell", "GRUSequence", "LSTMSequence", "RNNSequence"),
        "refuses a constant state where the sizes of X are dynamic",
        lambda use: (
            is_dynamic(use, 0) and (is_constant(use, 1) or (use.op.type.startswith("LSTM") and is_constant(use, 2)))
        ),
    ),
    Departure(
        ("GRUCell", "LSTMCell", "RNNCell"),
        "overwrites its state, or omits the bias, where X is constant",
        lambda use: is_constant(use, 0),
    ),
    Departure(
        ("Interpolate",),
        "resizes spatial axes only",
        lambda use: use.inputs[0].shape[:2] != use.outputs[0].shape[:2],
    ),
    Departure(
        ("EmbeddingBagOffsets", "EmbeddingBagOffsetsSum"),
        "multiplies the default row of an empty bag by memory beyond the weights",
        lambda use: len(use.inputs) == 5 and _has_empty_bag(use),
    ),
    Departure(
        ("Loop", "TensorIterator", "If"),
        "returns wrong results in constant folding",
        lambda use: all(is_constant(use, index) for index in range(len(use.facts))),
    ),
    Departure(("Assign",), "does not write a constant", lambda use: is_constant(use, 0)),
    Departure(("LRN",), "loses sizes, or crashes, where they are dynamic", lambda use: is_dynamic(use, 0)),
    Departure(("EmbeddingSegmentsSum",), declared("EmbeddingSegmentsSum", "memory"), always),
    Departure(
        ("DeformableConvolution",),
        "uses the bilinear_interpolation_pad of another layer",
        lambda use: use.op.opset == 8 and bool(use.op.bilinear_interpolation_pad),
    ),
)
