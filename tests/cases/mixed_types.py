"""Inputs whose type OpenVINO does not compare with the type of the others, and some whose type it compares."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np

from irrun.tensor import ElementType
from irrun.tensor.rounding import round_to
from tests.cases import Array, Case, Invalid
from tests.cases.activation import prelu
from tests.cases.convolution import deformable_convolution
from tests.cases.detection import (
    deformable_psroi_pooling,
    detection_output,
    generate_proposals,
    proposal,
    psroi_pooling,
)
from tests.cases.internal import gated_delta_net, rms
from tests.cases.movement import slice_scatter, space_to_batch
from tests.cases.normalization import group_normalization
from tests.cases.quantization import fake_quantize
from tests.cases.sequence import ctc_greedy_decoder_seq_len, ctc_loss, gru_cell, lstm_cell
from tests.cases.sparse import sparse_fill_empty_rows


def _mixed(module: ModuleType, number: int, types: dict[int, str]) -> Case:
    """Return a case of a module with other types for some inputs; outputs with the type of input 0 change with it."""
    case: Case = module.CASES[number]
    inputs = [_as(array, types.get(index)) for index, array in enumerate(case.inputs)]
    named = {index: name for index, name in types.items() if name in ("f16", "bf16")}
    spelled = ", ".join(f"input {index} {name}" for index, name in types.items())
    return replace(case, inputs=inputs, types=named, name=f"{case.name} {spelled}", rtol=2e-2, atol=2e-3)


def _as(array: Array | None, name: str | None) -> Array | None:
    if array is None or name is None:
        return array
    kind = ElementType.named(name)
    values = np.asarray(array, kind.dtype)
    return round_to(values, name) if kind.is_narrow else values


CASES = [
    _mixed(prelu, 0, {1: "f16"}),
    _mixed(prelu, 0, {1: "i32"}),
    _mixed(prelu, 0, {0: "f16"}),
    _mixed(fake_quantize, 0, {1: "f16", 2: "f16"}),
    _mixed(fake_quantize, 0, {0: "f16"}),
    _mixed(psroi_pooling, 0, {1: "f16"}),
    _mixed(psroi_pooling, 0, {0: "f16"}),
    _mixed(deformable_psroi_pooling, 2, {1: "f16", 2: "bf16"}),
    _mixed(deformable_convolution, -1, {3: "f16"}),
    _mixed(detection_output, 0, {2: "f16"}),
    _mixed(detection_output, 1, {2: "f16"}),
    _mixed(generate_proposals, 0, {1: "f16", 2: "f16", 3: "f16"}),
    _mixed(proposal, 0, {1: "f16", 2: "f16"}),
    _mixed(proposal, -1, {2: "f16"}),
    _mixed(group_normalization, 0, {1: "f16", 2: "f64"}),
    _mixed(rms, 0, {1: "f16"}),
    _mixed(gated_delta_net, 0, {1: "f16", 2: "bf16", 4: "f16", 5: "f16"}),
    _mixed(slice_scatter, 0, {1: "f16"}),
    _mixed(space_to_batch, 1, {1: "i32", 3: "u8"}),
    _mixed(ctc_greedy_decoder_seq_len, 1, {2: "i64"}),
    _mixed(ctc_loss, -1, {1: "i64", 2: "u8", 3: "i32"}),
    _mixed(gru_cell, 0, {2: "f16"}),
    _mixed(lstm_cell, 1, {6: "f16"}),
    _mixed(sparse_fill_empty_rows, 0, {3: "f16"}),
]
INVALID = [
    Invalid(type, opset, inputs, "both must have the same type", attributes)
    for type, opset, inputs, attributes in (
        ("Add", 1, ["f32[2]", "f16[2]"], {}),
        ("Power", 1, ["f16[2]", "f32[2]"], {}),
        ("MatMul", 1, ["f32[2,2]", "f16[2,2]"], {}),
        ("Swish", 4, ["f16[2]", "f32[]"], {}),
        ("Selu", 1, ["f32[2]", "f16[]", "f16[]"], {}),
        ("HardSigmoid", 1, ["f32[2]", "f32[]", "f16[]"], {}),
        ("Select", 1, ["boolean[2]", "f32[2]", "f16[2]"], {}),
        ("Concat", 1, ["f32[2]", "f16[2]"], {"axis": 0}),
        ("ScatterUpdate", 3, ["f32[2]", "i64[1]", "f16[1]", "i64[]"], {}),
        ("BatchToSpace", 2, ["f32[4,1]", "i64[2]", "i32[2]", "i64[2]"], {}),
        ("DeformableConvolution", 8, ["f32[1,1,3,3]", "f16[1,8,2,2]", "f32[1,1,2,2]"], deformable_convolution.plain(2)),
        ("GRUCell", 3, ["f32[1,2]", "f32[1,2]", "f32[6,2]", "f16[6,2]"], {"hidden_size": 2}),
    )
]
