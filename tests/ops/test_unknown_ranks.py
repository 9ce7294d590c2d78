"""Inference from tensors whose rank, or the list of whose axes, is not known, and the faults that remain visible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pytest

from irrun.ops import OpError
from irrun.ops.calling import infer
from irrun.ops.registry import resolve
from irrun.tensor import Fact, Shape, element_type
from irrun.tensor.element_type import F32, I64

INFINITE: Final = float("inf")
ANY: Final = "f32[...]"
WINDOW: Final = {"strides": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0)}
CONVOLUTION: Final = {**WINDOW, "dilations": (1, 1), "auto_pad": "explicit"}
NEAREST: Final = {"mode": "nearest", "shape_calculation_mode": "scales"}
EPSILON: Final = {"epsilon": 1e-5}
HIDDEN: Final = {"hidden_size": 3}

Input = str | Sequence[float] | float
"""An element type with a shape, as in ``f32[2,?]``, or the value of a constant."""


def inferred(type: str, opset: int, attributes: dict[str, Any], inputs: Sequence[Input]) -> str:
    """Return the shapes of the outputs."""
    op = resolve(type, f"opset{opset}")(**attributes)
    context = {"output_count": 2} if "output_count" in op.spec.infer_asks else {}
    return " ".join(str(fact.shape) for fact in infer(op, [known(item) for item in inputs], **context))


def known(given: Input) -> Fact:
    if isinstance(given, str):
        name, bracket, shape = given.partition("[")
        return Fact(getattr(element_type, name.upper()), Shape.parse(bracket + shape))
    values = np.array(given)
    type = I64 if values.dtype.kind == "i" else F32
    return Fact.of(type, values.astype(type.dtype))


@pytest.mark.parametrize(
    ("type", "opset", "attributes", "inputs", "shapes"),
    [
        ("PRelu", 1, {}, ["f32[2,?,4]", "f32[?]"], "[2,?,4]"),
        ("NonZero", 3, {"output_type": "i64"}, [ANY], "[?,?]"),
        ("GridSample", 9, {}, ["f32[2,3,4,5]", ANY], "[2,3,?,?]"),
        (
            "Interpolate",
            4,
            {"mode": "nearest", "shape_calculation_mode": "sizes"},
            [ANY, [4, 4], [1.0, 1.0], [2, 3]],
            "[...]",
        ),
        ("Interpolate", 11, NEAREST, [ANY, [2.0, 2.0], [2, 3]], "[...]"),
        ("Interpolate", 11, NEAREST, ["f32[1,2,3,4]", "f32[2]", [2, 3]], "[1,2,?,?]"),
        ("Inverse", 14, {}, [ANY], "[...]"),
        ("MatMul", 1, {}, [ANY, "f32[2,3]"], "[...]"),
        ("Col2Im", 15, {}, [ANY, [4, 4], [2, 2]], "[...]"),
        ("Concat", 1, {"axis": 0}, [ANY, "f32[2,3]"], "[2..,3]"),
        ("Concat", 1, {"axis": 0}, [ANY, ANY], "[...]"),
        ("DepthToSpace", 1, {"mode": "blocks_first", "block_size": 2}, [ANY], "[...]"),
        ("SpaceToDepth", 1, {"mode": "blocks_first", "block_size": 2}, [ANY], "[...]"),
        (
            "ExtractImagePatches",
            3,
            {"sizes": (2, 2), "strides": (1, 1), "rates": (1, 1), "auto_pad": "valid"},
            [ANY],
            "[?,?,?,?]",
        ),
        ("Gather", 8, {}, [ANY, "i64[2]", [0]], "[...]"),
        ("Gather", 8, {}, ["f32[2,3]", "i64[...]", [0]], "[...]"),
        ("Gather", 8, {}, [ANY, "i64[...]", "i64[]"], "[...]"),
        ("GatherElements", 6, {"axis": 1}, [ANY, "i64[2,3]"], "[2,3]"),
        ("GatherElements", 6, {"axis": 1}, [ANY, "i64[...]"], "[...]"),
        ("GatherElements", 6, {"axis": 1}, ["f32[4,5]", "i64[...]"], "[4,?]"),
        ("GatherND", 8, {}, [ANY, "i64[2,1]"], "[...]"),
        ("GatherTree", 1, {}, ["i32[...]", "i32[...]", "i32[?]", "i32[]"], "[?,?,?]"),
        ("GatherTree", 1, {}, ["i32[4,2,3]", "i32[...]", "i32[...]", "i32[]"], "[4,2,3]"),
        ("Pad", 1, {"pad_mode": "constant"}, [ANY, [1, 2], [0, 0]], "[?,?]"),
        ("Reverse", 1, {"mode": "index"}, [ANY, [0]], "[...]"),
        ("ReverseSequence", 1, {}, [ANY, "i64[2]"], "[...]"),
        ("ReverseSequence", 1, {}, ["f32[2,3]", "i64[...]"], "[2,3]"),
        ("Roll", 7, {}, [ANY, [1], [0]], "[...]"),
        ("ScatterElementsUpdate", 3, {}, [ANY, "i64[2]", "f32[2]", 0], "[...]"),
        ("ScatterElementsUpdate", 3, {}, ["f32[4]", "i64[...]", ANY, 0], "[4]"),
        ("ScatterNDUpdate", 4, {}, [ANY, "i64[2,1]", "f32[2]"], "[...]"),
        ("ScatterUpdate", 3, {}, [ANY, "i64[2]", "f32[2,3]", 0], "[...]"),
        ("ScatterUpdate", 3, {}, ["f32[4,3]", "i64[...]", "f32[2,3]", 0], "[4,3]"),
        ("ScatterUpdate", 3, {}, ["f32[4,3]", "i64[2]", "f32[2,3]", "i64[]"], "[4,3]"),
        ("ShuffleChannels", 1, {}, [ANY], "[...]"),
        ("Slice", 8, {}, [ANY, [0], [1], [1], [0]], "[...]"),
        ("Slice", 8, {}, ["f32[4,5]", "i64[1]", [1], [1], [0]], "[0..1,5]"),
        ("Split", 1, {"num_splits": 2}, [ANY, 0], "[...] [...]"),
        ("StridedSlice", 1, {"begin_mask": (0,), "end_mask": (0,)}, [ANY, [0], [1], [1]], "[...]"),
        ("StridedSlice", 1, {"begin_mask": (0,), "end_mask": (0,)}, ["f32[4,5]", "i64[1]", [1], [1]], "[0..1,5]"),
        ("Tile", 1, {}, [ANY, [2, 2]], "[...]"),
        ("Tile", 1, {}, ["f32[2,3]", "i64[?]"], "[...]"),
        ("Transpose", 1, {}, [ANY, [1, 0]], "[?,?]"),
        ("Transpose", 1, {}, [ANY, "i64[?]"], "[...]"),
        ("Transpose", 1, {}, ["f32[2,3]", "i64[2]"], "[2..3,2..3]"),
        ("Transpose", 1, {}, ["f32[]", "i64[0]"], "[]"),
        ("Unique", 10, {"sorted": True}, [ANY], "[?] [?] [?] [?]"),
        ("Unique", 10, {"sorted": True}, ["f32[2,3]", "i64[]"], "[0..2,0..3] [?] [?] [?]"),
        ("VariadicSplit", 1, {}, [ANY, 0, [1, 2]], "[...] [...]"),
        ("VariadicSplit", 1, {}, ["f32[4,6]", "i64[]", [1, 2]], "[0..4,0..6] [0..4,0..6]"),
        ("VariadicSplit", 1, {}, ["f32[4,6]", 0, "i64[2]"], "[0..4,6] [0..4,6]"),
        ("BatchNormInference", 5, EPSILON, [ANY, ANY, ANY, "f32[?]", "f32[?]"], "[...]"),
        ("BatchNormInference", 1, EPSILON, [ANY, ANY, ANY, "f32[?]", "f32[?]"], "[...]"),
        ("GroupNormalization", 12, {"num_groups": 2, "epsilon": 1e-05}, [ANY, ANY, "f32[?]"], "[...]"),
        ("MVN", 6, {"normalize_variance": True, "eps": 1e-05, "eps_mode": "inside_sqrt"}, [ANY, [1]], "[...]"),
        ("MVN", 1, {"across_channels": True, "normalize_variance": True, "eps": 1e-05}, [ANY], "[...]"),
        (
            "AvgPool",
            1,
            {**WINDOW, "kernel": (2, 2), "exclude_pad": True, "auto_pad": "explicit", "rounding_type": "floor"},
            [ANY],
            "[?,?,?,?]",
        ),
        ("MaxPool", 8, {**WINDOW, "kernel": (2, 2)}, [ANY], "[?,?,?,?] [?,?,?,?]"),
        ("AdaptiveAvgPool", 8, {}, [ANY, [2, 3]], "[?,?,?,?]"),
        ("AdaptiveAvgPool", 8, {}, [ANY, "i64[?]"], "[...]"),
        ("AdaptiveAvgPool", 8, {}, ["f32[1,2,8,8]", "i64[2]"], "[1,2,?,?]"),
        ("ReduceSum", 1, {"keep_dims": True}, [ANY, [1]], "[...]"),
        ("ReduceSum", 1, {"keep_dims": False}, [ANY, [1]], "[...]"),
        ("ReduceSum", 1, {"keep_dims": True}, ["f32[2,3]", "i64[?]"], "[1..2,1..3]"),
        ("ReduceSum", 1, {"keep_dims": False}, ["f32[2,3]", "i64[?]"], "[...]"),
        ("CTCLoss", 4, {}, ["f32[2,?,5]", "i32[...]", "i32[...]", "i32[...]", "i32[]"], "[2]"),
        ("CTCGreedyDecoderSeqLen", 6, {}, ["f32[2,8,5]", "i32[...]"], "[2,8] [2]"),
        ("OneHot", 1, {"axis": -1}, ["i64[...]", 5, 1.0, 0.0], "[...]"),
        ("Reshape", 1, {"special_zero": False}, ["f32[2,3]", "i64[?]"], "[...]"),
        ("Reshape", 1, {"special_zero": False}, ["f32[2,3]", "i64[...]"], "[...]"),
        ("ShapeOf", 3, {}, [ANY], "[?]"),
        ("Squeeze", 1, {}, [ANY, [0]], "[...]"),
        ("Squeeze", 1, {}, [ANY], "[...]"),
        ("Squeeze", 1, {}, ["f32[1,?,3]"], "[...]"),
        ("Squeeze", 1, {}, ["f32[2,3]", "i64[?]"], "[2,3]"),
        ("Squeeze", 1, {}, ["f32[1,3]", "i64[1]"], "[...]"),
        ("Squeeze", 1, {}, ["f32[?,3]", "i64[1]"], "[...]"),
        ("Squeeze", 15, {"allow_axis_skip": True}, ["f32[?,1]", [0, 1]], "[...]"),
        ("Unsqueeze", 1, {}, [ANY, [0]], "[...]"),
        ("Unsqueeze", 1, {}, ["f32[2,3]", "i64[1]"], "[?,?,?]"),
        ("Unsqueeze", 1, {}, ["f32[2,3]", "i64[?]"], "[...]"),
        ("DFT", 7, {}, [ANY, [0]], "[...]"),
        ("DFT", 7, {}, ["f32[4,2]", "i64[1]"], "[4,2]"),
        ("IDFT", 7, {}, [ANY, [0]], "[...]"),
        ("IRDFT", 9, {}, [ANY, [0]], "[...]"),
        ("IRDFT", 9, {}, ["f32[4,5,2]", "i64[1]"], "[?,?]"),
        ("IRDFT", 9, {}, ["f32[4,5,2]", [1], "i64[1]"], "[4,?]"),
        ("RDFT", 9, {}, [ANY, [0]], "[...]"),
        ("RDFT", 9, {}, ["f32[4,5]", "i64[1]"], "[?,?,2]"),
        ("RDFT", 9, {}, ["f32[4,5]", [1], "i64[1]"], "[4,1..,2]"),
        ("ISTFT", 16, {"center": False, "normalized": False}, [ANY, "f32[4]", 4, 2], "[...]"),
        ("STFT", 15, {"transpose_frames": False}, [ANY, "f32[4]", 4, 2], "[...]"),
        ("TopK", 3, {"axis": 0, "mode": "max", "sort": "value"}, [ANY, 2], "[...] [...]"),
        ("EmbeddingBagOffsets", 15, {"reduction": "sum"}, [ANY, "i64[4]", "i64[2]"], "[...]"),
        ("EmbeddingBagPackedSum", 3, {}, ["f32[5,2]", "i64[...]", ANY], "[?,2]"),
        ("SparseFillEmptyRows", 16, {}, ["f32[?]", "i64[2]", "i64[...]", "f32[]"], "[?,2] [?] [?]"),
        ("SegmentMax", 16, {"fill_mode": "ZERO"}, [ANY, "i64[...]"], "[...]"),
        ("Broadcast", 3, {"mode": "explicit"}, ["f32[2]", "i64[?]", [0]], "[...]"),
        ("Broadcast", 3, {"mode": "explicit"}, [ANY, [2, 3], "i64[1]"], "[2,3]"),
        ("Convolution", 1, CONVOLUTION, [ANY, ANY], "[?,?,1..,1..]"),
        ("ConvolutionBackpropData", 1, CONVOLUTION, [ANY, ANY], "[?,?,1..,1..]"),
        ("ConvolutionBackpropData", 1, CONVOLUTION, [ANY, ANY, [8, 8]], "[?,?,8,8]"),
        ("ConvolutionBackpropData", 1, CONVOLUTION, ["f32[1,4,6,7]", ANY], "[1,?,6..,7..]"),
        ("SoftMax", 8, {"axis": 1}, [ANY], "[...]"),
        ("LSTMCell", 4, HIDDEN, [ANY, ANY, ANY, ANY, ANY, ANY], "[?,3] [?,3]"),
        ("GRUCell", 3, HIDDEN, [ANY, ANY, "f32[9,4]", ANY, ANY], "[?,3]"),
        ("RNNCell", 1, {"hidden_size": 3, "activations": ("tanh",)}, [ANY, ANY, ANY, "f32[3,3]", ANY], "[?,3]"),
        (
            "LSTMSequence",
            5,
            {**HIDDEN, "direction": "forward"},
            [ANY, ANY, ANY, "i64[...]", ANY, ANY, ANY],
            "[?,1,?,3] [?,1,3] [?,1,3]",
        ),
        ("SliceScatter", 15, {}, [ANY, "f32[2]", [0], [1], [1]], "[?]"),
        ("Select", 1, {}, ["boolean[...]", "f32[2]", "f32[3,1]"], "[...]"),
        (
            "ConvertPromoteTypes",
            14,
            {"promote_unsafe": True, "pytorch_scalar_promotion": True},
            [ANY, "i64[2]"],
            "[...] [2]",
        ),
        (
            "AvgPool",
            1,
            {**WINDOW, "kernel": (2, 2), "exclude_pad": True, "auto_pad": "explicit", "rounding_type": "ceil"},
            ["f32[1,2,3..9,8]"],
            "[1,2,2..8,7]",
        ),
        (
            "MaxPool",
            1,
            {
                "kernel": (3, 3),
                "strides": (2, 2),
                "pads_begin": (1, 1),
                "pads_end": (1, 1),
                "auto_pad": "explicit",
                "rounding_type": "ceil",
            },
            ["f32[1,2,3..9,?]"],
            "[1,2,2..5,1..]",
        ),
        ("Multiply", 1, {"auto_broadcast": "pdpd"}, [ANY, "f32[3,1]"], "[...]"),
        ("BatchNormInference", 5, EPSILON, ["f32[2,3,4]", ANY, "f32[3]", ANY, "f32[3]"], "[2,3,4]"),
        ("Interpolate", 1, {"axes": (2, 3), "mode": "nearest"}, [ANY, [2, 3]], "[...]"),
        ("EmbeddingSegmentsSum", 3, {}, [ANY, "i64[4]", "i64[4]", "i64[]"], "[...]"),
        ("EmbeddingBagPackedSum", 3, {}, ["f32[5,2]", "i64[3,2]", ANY], "[3,2]"),
        ("SparseFillEmptyRows", 16, {}, ["f32[?]", "i64[2]", "i64[?,2]", "f32[]"], "[?,2] [?] [?]"),
        ("StringTensorPack", 15, {}, ["i32[...]", "i32[...]", "u8[?]"], "[...]"),
        (
            "LSTMSequence",
            5,
            {**HIDDEN, "direction": "bidirectional"},
            ["f32[2,4,5]", ANY, ANY, "i64[...]", "f32[2,12,5]", ANY, ANY],
            "[2,2,4,3] [2,2,3] [2,2,3]",
        ),
        ("Squeeze", 15, {"allow_axis_skip": True}, ["f32[2,1]", [0, 1]], "[2]"),
        ("Unsqueeze", 1, {}, [ANY, "i64[?]"], "[...]"),
        ("ReduceSum", 1, {"keep_dims": False}, ["f32[2,3]", "i64[1]"], "[2..3]"),
        ("ReduceSum", 1, {"keep_dims": True}, ["f32[2,3]", "i64[1]"], "[1..2,1..3]"),
        ("TopK", 11, {"axis": 0, "mode": "max", "sort": "value"}, ["f32[2,3]", "i64[]"], "[0..2,3] [0..2,3]"),
    ],
)
def test_shapes(type: str, opset: int, attributes: dict[str, Any], inputs: Sequence[Input], shapes: str) -> None:
    assert inferred(type, opset, attributes, inputs) == shapes


@pytest.mark.parametrize(
    ("type", "opset", "attributes", "inputs", "message"),
    [
        (
            "DeformablePSROIPooling",
            1,
            {"output_dim": 1, "spatial_scale": 1.0, "group_size": 1, "trans_std": 0.1},
            ["f32[1,1,4,4]", "f32[1,5]", "f32[1,3,1,1]"],
            "offsets has 3 channels, expected a pair for each class",
        ),
        ("NV12toRGB", 8, {}, ["u8[1,4,4,2]", "u8[1,2,2,2]"], "the Y plane has 2 channels, expected 1"),
        (
            "ISTFT",
            16,
            {"center": False, "normalized": False},
            ["f32[3,4,2]", "f32[4]", 4, 2, -5],
            "signal_length is -5, expected 0 or more",
        ),
        (
            "Multiply",
            1,
            {"auto_broadcast": "pdpd"},
            ["f32[2,3,4]", "f32[3,1]"],
            "shape [3,1] does not fit into [2,3,4] from axis 0 on",
        ),
        (
            "Interpolate",
            11,
            NEAREST,
            ["f32[1,2,3,4]", [INFINITE, 1.0], [2, 3]],
            "scales are inf, 1.0, expected finite numbers",
        ),
        (
            "Convolution",
            1,
            CONVOLUTION,
            ["f32[1,2,4,4]", "f32[3,2,0,1]"],
            "the kernel has 0 elements on spatial axis 0, expected at least 1",
        ),
        (
            "Convolution",
            1,
            CONVOLUTION,
            ["f32[1,2,4,4]", "f32[3,2,7,1]"],
            "a window of 7 does not fit on spatial axis 0 with 4 elements",
        ),
    ],
)
def test_faults(type: str, opset: int, attributes: dict[str, Any], inputs: Sequence[Input], message: str) -> None:
    with pytest.raises(OpError) as raised:
        inferred(type, opset, attributes, inputs)
    assert str(raised.value) == message
