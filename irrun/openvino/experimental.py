"""Functions that look into OpenVINO's inference of shapes, whose names only are here."""

from __future__ import annotations

from typing import Final

from irrun.openvino.importing.absent import ABSENT
from irrun.openvino.importing.refused import Refused, refused_function

_REASON: Final = ABSENT["experimental"]

evaluate_as_partial_shape: Refused = refused_function("evaluate_as_partial_shape", _REASON)
evaluate_both_bounds: Refused = refused_function("evaluate_both_bounds", _REASON)
set_element_type: Refused = refused_function("set_element_type", _REASON)
set_tensor_type: Refused = refused_function("set_tensor_type", _REASON)

__all__ = ["evaluate_as_partial_shape", "evaluate_both_bounds", "set_element_type", "set_tensor_type"]
