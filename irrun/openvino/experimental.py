"""Functions that look into OpenVINO's inference of shapes, whose names only are here."""

from __future__ import annotations

from irrun.openvino.importing.absent import ABSENT
from irrun.openvino.importing.refused import refused_function

evaluate_as_partial_shape, evaluate_both_bounds, set_element_type, set_tensor_type = (
    refused_function(name, ABSENT["experimental"])
    for name in ("evaluate_as_partial_shape", "evaluate_both_bounds", "set_element_type", "set_tensor_type")
)

__all__ = ["evaluate_as_partial_shape", "evaluate_both_bounds", "set_element_type", "set_tensor_type"]
