"""Departures that no case of an operation shows: what shows them, or why a file cannot.

Most are shown by a variant of a case, with NaN, infinities or other extremes, as ``tests/ops/extremes.py`` makes them.
The expected outputs of a variant are those of irrun.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.cases import AnyCase, Case, ModelCase, all_cases, f32, i32, i64
from tests.ops.extremes import extremes, outputs

Key = tuple[str, str]
"""An operation version and the key of its departure."""

VARIANTS: Final[dict[Key, str]] = {
    ("AUGRUSequence", "one step"): "AUGRUSequence-ie_internal_opset-: 1 for 2",
    ("Bucketize-3", "nan"): "Bucketize-3-left: NaN for input 1",
    ("Convert-1", "rank 7"): "Convert-1-f32_i8_wraps: rank 8 for input 0",
    ("ConvertLike-1", "rank 7"): "ConvertLike-1-f32_u8_wraps: rank 8 for input 0",
    ("Convolution-1", "beside nan"): "Convolution-1-same-lower: NaN for input 1",
    ("ConvolutionBackpropData-1", "beside nan"): "ConvolutionBackpropData-1-page-output-padding: NaN for input 1",
    ("Cos-1", "integers"): "Cos-1-integers: extremes for input 0",
    ("Cosh-1", "integers"): "Cosh-1-integers: extremes for input 0",
    ("DeformableConvolution-1", "nan"): "DeformableConvolution-1-shifted-out-is-zero: NaN for input 1",
    ("DeformableConvolution-8", "nan"): "DeformableConvolution-8-shifted-out-is-zero: NaN for input 1",
    ("Divide-1", "rank 7"): "Divide-1-u8: rank 8 for input 0",
    ("Exp-1", "nan"): "Exp-1-: NaN for input 0",
    ("FakeQuantize-1", "of integers"): "FakeQuantize-1-8-bit integers are rounded: infinities for input 1",
    ("FakeQuantize-1", "rank 7"): "FakeQuantize-1-8-bit integers are rounded: rank 8 for input 0",
    ("FloorMod-1", "infinite"): "FloorMod-1-floats: infinities for input 1",
    ("GRUCell-3", "nan"): "GRUCell-3-clip: NaN for input 0",
    ("GRUSequence-5", "nan"): "GRUSequence-5-linear before reset: NaN for input 0",
    ("Gelu-2", "infinite"): "Gelu-2-f32_scalar: infinities for input 0",
    ("Gelu-7", "infinite"): "Gelu-7-scalar: infinities for input 0",
    ("GridSample-9", "nan"): "GridSample-9-nearest-border: NaN for input 1",
    ("GroupConvolution-1", "beside nan"): "GroupConvolution-1-groups: NaN for input 1",
    ("I420toBGR-8", "nan"): "I420toBGR-8-one-plane: NaN for input 0",
    ("I420toRGB-8", "nan"): "I420toRGB-8-one-plane: NaN for input 0",
    ("IRDFT-9", "infinite"): "IRDFT-9-three points: infinities for input 0",
    ("Inverse-14", "nan"): "Inverse-14-adjoint: NaN for input 0",
    ("LSTMCell-1", "nan"): "LSTMCell-1-what is not read input 6 f16: NaN for input 0",
    ("LSTMCell-4", "nan"): "LSTMCell-4-clip: NaN for input 0",
    ("LSTMSequence-5", "nan"): "LSTMSequence-5-clip: NaN for input 0",
    ("LogSoftmax-5", "beside nan"): "LogSoftmax-5-scalar: NaN for input 0",
    ("MaxPool-14", "infinite"): "MaxPool-14-page-1: NaN for input 0",
    ("MaxPool-8", "infinite"): "MaxPool-8-page-1: NaN for input 0",
    ("Mod-1", "infinite"): "Mod-1-floats: infinities for input 1",
    ("NV12toBGR-8", "nan"): "NV12toBGR-8-one-plane: NaN for input 0",
    ("NV12toRGB-8", "nan"): "NV12toRGB-8-one-plane: NaN for input 0",
    ("RDFT-9", "infinite"): "RDFT-9-three points: infinities for input 0",
    ("RNNCell-1", "nan"): "RNNCell-1-clip: NaN for input 0",
    ("RNNSequence-5", "nan"): "RNNSequence-5-clip: NaN for input 0",
    ("Range-1", "large step"): "Range-1-down: extremes for input 2",
    ("ReduceMax-1", "infinite"): "ReduceMax-1-infinite: 1 for 2",
    ("ReduceMax-1", "nan"): "ReduceMax-1-infinite: NaN for input 0",
    ("ReduceMin-1", "infinite"): "ReduceMin-1-infinite: rank 8 for input 0",
    ("ReduceMin-1", "nan"): "ReduceMin-1-infinite: NaN for input 0",
    ("STFT-15", "infinite"): "STFT-15-window of 1 in the middle of a frame of 3: NaN for input 0",
    ("ScaledDotProductAttention-13", "beside nan"): "ScaledDotProductAttention-13-sink: NaN for input 5",
    ("ScatterElementsUpdate-12", "nan"): "ScatterElementsUpdate-12-max: NaN for input 2",
    ("ScatterNDUpdate-15", "nan"): "ScatterNDUpdate-15-max: NaN for input 2",
    ("SegmentMax-16", "nan"): "SegmentMax-16-zero: NaN for input 0",
    ("Sinh-1", "integers"): "Sinh-1-integers: extremes for input 0",
    ("SoftMax-1", "beside nan"): "SoftMax-1-: NaN for input 0",
    ("SoftMax-8", "beside nan"): "SoftMax-8-masked: NaN for input 0",
    ("Tan-1", "integers"): "Tan-1-integers: extremes for input 0",
    ("Unique-10", "nan"): "Unique-10-sorted: NaN for input 0",
}
"""The variant that shows a departure, by its name."""

_PIXELS: Final = {"mode": "linear", "axes": (2, 3), "align_corners": True}
_ONNX: Final = {"mode": "linear_onnx", "shape_calculation_mode": "sizes"}
_REGION: Final = {"pooled_h": 1, "pooled_w": 1, "sampling_ratio": 1, "spatial_scale": 1.0, "mode": "avg"}
_INF: Final = np.inf


def _quantised(opset: int) -> ModelCase:
    """Return a model of an MVN of what a FakeQuantize of two levels returns."""

    def build(ir: Writer) -> None:
        x = ir.parameter("x", F32, Shape([1, 1, 1, 2]))
        limits = [ir.constant(f32(limit), F32) for limit in (0, 0.01, 0, 0.01)]
        fact = Fact(F32, Shape([1, 1, 1, 2]))
        (levels,) = ir.layer("FakeQuantize", "opset1", [x, *limits], [fact], {"levels": "256"})
        axes = [ir.constant(i64([2, 3]), I64)] if opset == 6 else []
        given = {"eps_mode": "inside_sqrt"} if opset == 6 else {"across_channels": "false"}
        written = {"normalize_variance": "true", "eps": "1e-4", **given}
        ir.result(*ir.layer("MVN", f"opset{opset}", [levels, *axes], [fact], written))

    deviation = 0.005 / np.sqrt(0.005**2 + 1e-4)
    expected = f32([[[[-deviation, deviation]]]])
    return ModelCase("MVN", opset, build, [f32([[[[0, 0.01]]]])], [expected], name="levels", departs="levels")


CASES: Final[tuple[AnyCase, ...]] = (
    Case(
        "DFT",
        7,
        [f32([[0, 1], [_INF, 0]]), i64([0])],
        [f32([[_INF, 1], [-_INF, 1]])],
        name="infinite",
        departs="infinite",
    ),
    Case(
        "IDFT",
        7,
        [f32([[0, 2], [_INF, 0]]), i64([0])],
        [f32([[_INF, 1], [-_INF, 1]])],
        name="infinite",
        departs="infinite",
    ),
    Case(
        "ISTFT",
        16,
        [f32([[[0, 0]], [[_INF, 0]], [[0, 0]]]), f32([1, 1, 1, 1]), i64(4), i64(4)],
        [f32([_INF, 0, -_INF, 0])],
        {"center": False, "normalized": False},
        name="infinite",
        departs="infinite",
    ),
    Case(
        "Interpolate",
        1,
        [f32([[[[1, _INF]]]]), i64([1, 3])],
        [f32([[[[np.nan, _INF, np.nan]]]])],
        _PIXELS,
        name="infinite",
        departs="infinite",
    ),
    *(
        Case(
            "Interpolate",
            opset,
            [f32([[[[1, _INF]]]]), i64([1, 3]), *scales, i64([2, 3])],
            [f32([[[[np.nan, _INF, np.nan]]]])],
            {**_ONNX, "coordinate_transformation_mode": "align_corners"},
            name="infinite",
            departs="infinite",
        )
        for opset, scales in ((4, [f32([1, 1.5])]), (11, []))
    ),
    Case(
        "ROIAlign",
        9,
        [f32([[[[np.nan, 1], [1, 1]]]]), f32([[8, 8, 9, 9]]), i64([0])],
        [f32([[[[0]]]])],
        {**_REGION, "aligned_mode": "asymmetric"},
        name="beside nan",
        departs="beside nan",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [f32([[[[1, 2]]]]), f32([[[[[np.nan, 1, 1]]]]])],
        [f32([[[[np.nan, 1, np.nan, 2, 2]]]])],
        {"strides": (1, 2), "pads_begin": (0, 0), "pads_end": (0, 0), "dilations": (1, 1)},
        name="beside nan",
        departs="beside nan",
    ),
    Case("Range", 1, [i32(5), i32(3), i32(1)], [i32([])], name="away", departs="away"),
    *(_quantised(opset) for opset in (2, 6)),
)
"""The cases of departures that no variant shows."""

_MEMORY: Final = "it writes over memory of others, so that nothing, other numbers or a crash follows"
_SAME: Final = "irrun does not read the attribute either, which no page describes"

ABSENT: Final[dict[Key, str]] = {
    ("EmbeddingSegmentsSum-3", "zeros"): _MEMORY,
    ("Gather-1", "negative"): "irrun returns the zeros too; what lies beyond the memory changes from run to run",
    ("Gather-7", "negative"): "irrun returns the zeros too; what lies beyond the memory changes from run to run",
    ("LSTMCell-1", "gates"): _SAME,
    ("LSTMCell-1", "input_forget"): _SAME,
    ("LSTMSequence-1", "nan"): "the plugin does not know the operation",
    **{(f"NonMaxSuppression-{opset}", "no limit"): _MEMORY for opset in (1, 3, 4, 5, 9)},
}
"""The reasons why no file shows a departure."""


def shown() -> Iterator[tuple[Key, AnyCase]]:
    """Yield the variants with the outputs of irrun, and the cases of this module, each with its key."""
    bases = {str(case): case for case in reversed(all_cases())}
    for key, name in VARIANTS.items():
        base = bases[next(known for known in _beginnings(name) if known in bases)]
        variant = next(variant for variant in extremes(base) if str(variant) == name)
        with np.errstate(all="ignore"):
            found = outputs(variant)
        assert found is not None
        yield key, replace(variant, expected=found, departs=key[1])
    for case in CASES:
        yield (f"{case.type}-{case.opset}", case.departs), case


def _beginnings(name: str) -> Iterator[str]:
    base = name.rpartition(": ")[0]
    yield from (base, base.removesuffix("-"))
