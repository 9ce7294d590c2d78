"""Why irrun fails some of OpenVINO's own tests of its Python API."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Reason(NamedTuple):
    """A reason: the functions that it is for, and whether programs that run IRs need what they test."""

    functions: str
    text: str
    applies: bool = True


_PRIVATE: Final = (
    "data_dispatch|input_validation|test_utils/|graph/test_utils|test_deprecation|_update_rt_info|const_node.py::test_copy"
    "|test_if_getters|test_simple_if_basic|test_loop_basic|tensor_iterator_basic|raw_address|test_properties_enums"
)
_WORDS: Final = (
    "dimension_comparisons|core.py::test_partial_shape|read_value_ctors|wrong_num_of_args|thow_exception|pad_vector"
    "|test_add_outputs|validate_nodes_and_infer|model.py::test_evaluate|reshape_with_python_types|fail_on_cpp_model"
    "|ovdict_wrong_key|properties_r[ow]_base|wrong_port_name|wrong_input_data|compact_api_wrong_path|test_invalid_inputs"
    "|get_sink_index|bigger_shape|roi_from_packed"
)

REASONS: Final = (
    Reason(_PRIVATE, "OpenVINO's private helpers, and addresses of its objects", applies=False),
    Reason("_docs$", "the words of OpenVINO's docstrings", applies=False),
    Reason(_WORDS, "the words of a message that OpenVINO writes for people; the exception is the same", applies=False),
    Reason("remote_api|intel_gpu|layer_gpu", "there is one device, the CPU", applies=False),
    Reason("_version_match", "irrun has no converters of other frameworks (openvino.frontend)", applies=False),
    Reason("to_tensor_iterator|subnormals", "transformations that OpenVINO applies offline", applies=False),
    Reason("test_memory_modes", "f16 values are converted, and so not shared by address", applies=False),
    Reason("bounds|symbol", "inference keeps bounds of values and equal sizes itself, in Model.facts"),
    Reason(
        "proposal|dyn_attributes|region_yolo",
        "the input has fewer channels than the layer reads: OpenVINO reads memory beyond it, irrun refuses it",
    ),
    Reason("binary_conv|ctc_greedy", "types that OpenVINO's CPU refuses when it compiles or runs the model"),
    Reason("deformable_psroi", "regions of integers, which the specification does not have"),
    Reason("i420", "two planes, which OpenVINO's CPU refuses: an image has one or three"),
    Reason("unique_opset10|matrix_nms", "irrun infers a smaller bound of the shape"),
    Reason(
        "simple_tensor_iterator|low_latency2",
        "a slice of 2 does not divide the 39 elements: OpenVINO's CPU refuses it, irrun when the model is made",
    ),
    Reason("interpolate_opset1", "pads of two axes are the first two axes of the specification"),
    Reason("roi_pooling", "the attributes have the names of the IR, and deprecated names are not kept"),
    Reason("node_factory", "a node needs its attributes when it is made"),
    Reason(
        "custom_op",
        "no file is left where a model cannot be saved, and an attribute that is an array is returned as an array",
    ),
)


def reason(function: str) -> Reason | None:
    """Return the reason for a failure of a function; None where none is known."""
    return next((item for item in REASONS if re.search(item.functions, function)), None)
