"""Reasons for outputs of irrun or the CPU plugin other than those that ONNX publishes, by group of onnx-suite.json.

A reason holds for the cases whose names, without their kind and ``test_``, match one of its patterns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple


class Reason(NamedTuple):
    text: str
    patterns: tuple[str, ...]


REASONS: Final[Mapping[str, Sequence[Reason]]] = {
    "openvino only": (
        Reason(
            "As written, irrun rounds every f16 tensor to f16, and two elements differ by two units in the last place;"
            " the plugin rounds none with `INFERENCE_PRECISION_HINT=f32`, and irrun rounds fewer when it optimises",
            ("attention_4d_causal_fp16_expanded",),
        ),
        Reason(
            "Converted to a Divide with `m_pythondiv`, which rounds integers down; the plugin rounds them toward zero",
            ("div_int32_trunc",),
        ),
        Reason(
            "The specification leaves the minimum of no elements undefined; irrun returns the largest float, as does "
            "the plugin for constant axes",
            ("reduce_min_empty_set",),
        ),
    ),
    "irrun only": (
        Reason("Returns NaN where a whole row is masked", ("attention_*",)),
        Reason("Rounds integer division toward zero, and saturates 8-bit products", ("bitshift_*",)),
        Reason("Computes f64 in f32", ("cast_*", "castlike_*", "operator_add*")),
        Reason("Returns a rounding error where zero is expected", ("dft*",)),
        Reason("Refuses strings", ("equal_string*",)),
        Reason("Refuses a Convert for which it infers no shape", ("linear_attention_*",)),
        Reason("Suppresses a box whose overlap equals the threshold", ("nonmaxsuppression_*",)),
        Reason("Refuses tensors of dynamic rank", ("reduce_log_sum_*", "unsqueeze_*")),
        Reason("Leaves the result unwritten where the repeats are an input", ("tile",)),
        Reason("Orders equal elements arbitrarily", ("top_k_same_values*",)),
    ),
    "neither": (
        Reason(
            "The conversion of Attention loses windows, and aligns causal masks with the last key instead of the past",
            ("attention_*",),
        ),
        Reason("The numbers are random", ("bernoulli_*",)),
        Reason(
            "Converted to a division by a power of two; for these shifts the power is 0, or too large for the type",
            ("bitshift_*",),
        ),
        Reason(
            "`saturate` and `round_mode` are lost, as Convert has neither; NaN becomes another value in f4e2m1",
            ("cast_*", "castlike_*"),
        ),
        Reason("DFT is converted with another axis, or another last dimension where it is real", ("dft_*",)),
        Reason("Converted to formulas that round in other places", ("dynamicquantizelinear*", "quantizelinear_*")),
        Reason("`layout` is lost", ("*_batchwise",)),
        Reason("Peepholes are lost", ("lstm_with_peepholes",)),
        Reason("Converted to a MaxPool that has windows outside of the data", ("maxpool_2d_ceil_*",)),
        Reason("The specification leaves the maximum of no elements undefined", ("reduce_max_empty_set",)),
        Reason("Interpolate has no antialias in these modes", ("resize_*_antialias",)),
        Reason("`exclude_outside` is lost", ("resize_*_exclude_outside",)),
        Reason(
            "ONNX aligns corners by the size before rounding, Interpolate by the rounded size",
            ("resize_*_align_corners",),
        ),
        Reason("`keep_aspect_ratio_policy` is lost", ("resize_*_not_larger", "resize_*_not_smaller")),
        Reason("ONNX takes the maximum of weighted elements, ROIAlign of interpolated ones", ("roialign_mode_max",)),
        Reason("`mode` is lost", ("spacetodepth_crd_*",)),
        Reason(
            "All classes score 9.5e9, where neighbouring floats differ by 1,024: one difference in rounding makes "
            "their softmax 0",
            ("squeezenet",),
        ),
    ),
}


def reason(group: str, name: str) -> Reason | None:
    """Return the reason for one case of a group, the first that matches."""
    short = name.partition("/")[2].removeprefix("test_")
    return next((item for item in REASONS[group] if any(fnmatchcase(short, to) for to in item.patterns)), None)
