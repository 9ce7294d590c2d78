"""The parameters of OpenVINO's builders where they differ from inputs and attributes in the order of the declaration.

An entry lists the parameters of a builder from an opset on, as ``parameter>declared`` where the names differ.
``*name`` is a mapping whose entries are attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from irrun.ops import Op

_CONVOLUTION: Final = "data filters>kernel strides pads_begin pads_end dilations auto_pad"
_BACKPROP: Final = "data filters>kernel strides output_shape pads_begin pads_end dilations auto_pad output_padding"
_SEQUENCE: Final = "hidden_size direction activations activations_alpha activations_beta clip"
_ALIGN: Final = "data>input rois batch_indices pooled_h pooled_w sampling_ratio spatial_scale"
_NMS: Final = "sort_result_type sort_result_across_batch output_type"

_TABLE: Final = {
    "avg_pool": {
        1: "data_batch>data strides pads_begin pads_end kernel_shape>kernel exclude_pad rounding_type auto_pad",
        16: "data_batch>data strides pads_begin pads_end kernel_shape>kernel exclude_pad rounding_type auto_pad "
        "dilations",
    },
    "batch_norm_inference": {1: "data gamma beta mean variance epsilon"},
    "binary_convolution": {
        1: "data filters>kernel strides pads_begin pads_end dilations mode pad_value auto_pad",
    },
    "broadcast": {1: "data target_shape axes_mapping mode", 3: "data target_shape axes_mapping broadcast_spec>mode"},
    "clamp": {1: "data min_value>min max_value>max"},
    "concat": {1: "nodes>inputs axis"},
    "convert_promote_types": {
        14: "left_node>input_0 right_node>input_1 promote_unsafe pytorch_scalar_promotion u64_integer_promotion_target",
    },
    "convolution": {1: _CONVOLUTION},
    "convolution_backprop_data": {1: _BACKPROP},
    "ctc_greedy_decoder": {1: "data sequence_mask merge_repeated>ctc_merge_repeated"},
    "cum_sum": {3: "arg>data axis exclusive reverse"},
    "cumsum": {3: "arg>data axis exclusive reverse"},
    "deformable_convolution": {
        1: "data deformable_values>offsets filters>kernel strides pads_begin pads_end dilations auto_pad group "
        "deformable_group",
        8: "data offsets filters>kernel strides pads_begin pads_end dilations mask auto_pad group deformable_group "
        "bilinear_interpolation_pad",
    },
    "deformable_psroi_pooling": {
        1: "feature_maps>input coords output_dim spatial_scale group_size mode spatial_bins_x spatial_bins_y trans_std "
        "part_size offsets",
    },
    "depth_to_space": {1: "node>data mode block_size"},
    "detection_output": {1: "box_logits class_preds proposals *attrs aux_class_preds aux_box_preds"},
    "extract_image_patches": {3: "image>data sizes strides rates auto_pad"},
    "eye": {9: "num_rows num_columns diagonal_index output_type batch_shape"},
    "fake_quantize": {1: "data>X input_low input_high output_low output_high levels auto_broadcast"},
    "gather_tree": {1: "step_ids parent_idx>parent_ids max_seq_len end_token"},
    "generate_proposals": {
        9: "im_info anchors deltas>boxesdeltas scores min_size nms_threshold pre_nms_count post_nms_count normalized "
        "nms_eta roi_num_type",
    },
    "grid_sample": {9: "data grid *attributes"},
    "group_convolution": {1: _CONVOLUTION},
    "group_convolution_backprop_data": {1: _BACKPROP},
    "gru_sequence": {5: f"X initial_hidden_state sequence_lengths W R B {_SEQUENCE} linear_before_reset"},
    "i420_to_bgr": {8: "arg>y arg_u>u arg_v>v"},
    "i420_to_rgb": {8: "arg>y arg_u>u arg_v>v"},
    "identity": {16: "data>input"},
    "interpolate": {
        1: "image>data output_shape>target_spatial_shape *attrs",
        10: "image>data output_shape>sizes scales mode shape_calculation_mode pads_begin pads_end "
        "coordinate_transformation_mode nearest_mode antialias cube_coeff axes",
        11: "image scales_or_sizes mode shape_calculation_mode pads_begin pads_end coordinate_transformation_mode "
        "nearest_mode antialias cube_coeff axes",
    },
    "is_inf": {10: "data *attributes"},
    "istft": {16: "data window frame_size frame_step center normalized signal_length"},
    "lstm_cell": {
        1: "X initial_hidden_state initial_cell_state W R B hidden_size activations activations_alpha "
        "activations_beta clip",
    },
    "lstm_sequence": {5: f"X initial_hidden_state initial_cell_state sequence_lengths W R B {_SEQUENCE}"},
    "matmul": {1: "data_a>a data_b>b transpose_a transpose_b"},
    "matrix_nms": {
        8: f"boxes scores {_NMS} score_threshold nms_top_k keep_top_k background_class decay_function gaussian_sigma "
        "post_threshold normalized",
    },
    "max_pool": {
        1: "data strides pads_begin pads_end kernel_shape>kernel rounding_type auto_pad",
        8: "data strides dilations pads_begin pads_end kernel_shape>kernel rounding_type auto_pad index_element_type "
        "axis",
    },
    "multiclass_nms": {
        8: f"boxes scores {_NMS} iou_threshold score_threshold nms_top_k keep_top_k background_class nms_eta "
        "normalized",
        9: f"boxes scores roisnum {_NMS} iou_threshold score_threshold nms_top_k keep_top_k background_class nms_eta "
        "normalized",
    },
    "mvn": {2: "data across_channels normalize_variance eps", 6: "data axes normalize_variance eps eps_mode"},
    "nv12_to_bgr": {8: "arg>y arg_uv>uv"},
    "nv12_to_rgb": {8: "arg>y arg_uv>uv"},
    "pad": {1: "arg>data pads_begin pads_end pad_mode arg_pad_value>pad_value"},
    "prior_box": {1: "layer_shape>output_size image_shape>image_size *attrs"},
    "prior_box_clustered": {1: "output_size image_size *attrs"},
    "proposal": {1: "class_probs bbox_deltas image_shape *attrs"},
    "psroi_pooling": {1: "input coords output_dim group_size spatial_scale spatial_bins_x spatial_bins_y mode"},
    "random_uniform": {
        8: "output_shape>shape min_val>minval max_val>maxval output_type global_seed op_seed alignment",
    },
    "region_yolo": {1: "input>data coords classes num do_softmax mask axis end_axis anchors"},
    "reorg_yolo": {1: "input>data stride"},
    "reshape": {1: "node>data output_shape>shape special_zero"},
    "result": {1: "data>input"},
    "reverse_sequence": {1: "input>data seq_lengths batch_axis seq_axis"},
    "rnn_sequence": {5: f"X initial_hidden_state sequence_lengths W R B {_SEQUENCE}"},
    "roi_align": {3: f"{_ALIGN} mode", 9: f"{_ALIGN} mode aligned_mode"},
    "roi_align_rotated": {15: f"{_ALIGN} clockwise_mode"},
    "roi_pooling": {1: "input coords>rois output_roi>pooled_h,pooled_w spatial_scale method"},
    "scaled_dot_product_attention": {13: "query key value attention_mask scale causal"},
    "search_sorted": {15: "sorted_sequence values right_mode"},
    "select": {1: "cond then_node>then else_node>else auto_broadcast"},
    "selu": {1: "data alpha lambda_value>lambda"},
    "space_to_depth": {1: "data mode block_size"},
    "squared_difference": {1: "x1>a x2>b auto_broadcast"},
    "stft": {15: "data>signal window frame_size frame_step transpose_frames"},
    "strided_slice": {
        1: "data begin end strides>stride begin_mask end_mask new_axis_mask shrink_axis_mask ellipsis_mask",
    },
    "topk": {
        1: "data k axis mode sort",
        3: "data k axis mode sort index_element_type",
        11: "data k axis mode sort index_element_type stable",
    },
    "transpose": {1: "data>arg input_order"},
}


DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "broadcast": {"mode": "numpy"},
    "fake_convert": {"destination_type": "f8e4m3"},
    "gather_elements": {"axis": 0},
    "lrn": {"alpha": 1.0, "beta": 0.5, "bias": 1.0, "size": 5},
    "mvn": {"across_channels": False, "normalize_variance": False, "eps": 1e-9},
    "scaled_dot_product_attention": {"causal": False},
}
"""Values of attributes that a caller of a builder may leave out, although a file must have them."""

OLDER: Final = {"interpolate": 9, "range": 11}
"""Builders that make the operation of opset1 up to an opset, although that has a newer version."""

_OF_NODE: Final = frozenset(
    {"hsigmoid", "hswish", "is_finite", "is_nan", "mish", "shape_of", "sigmoid", "softplus", "string_tensor_unpack"}
)
"""Builders of one input whose parameter is ``data``; that of others is ``node``."""


class Parameter(NamedTuple):
    """A parameter of a builder: its name, and the input or attribute that it stands for; None for a mapping of them.

    A list of values can stand for several attributes, with commas between their names.
    """

    name: str
    declared: str | None


def signature(builder: str, cls: type[Op], opset: int) -> tuple[Parameter, ...]:
    """Return the parameters of a builder, without ``name``."""
    versions = [number for number in _TABLE.get(builder, {}) if number <= opset]
    if versions:
        return tuple(_parameter(word) for word in _TABLE[builder][max(versions)].split())
    inputs, attributes = [port.name for port in cls.inputs], [item.field for item in cls.spec.attributes]
    if inputs == ["a", "b"] and "auto_broadcast" in attributes:
        first, second = ("arg0", "arg1") if "shift" in builder else ("left_node", "right_node")
        return _renamed({"a": first, "b": second}, (*inputs, "auto_broadcast"))
    if builder.startswith("reduce_"):
        return _renamed({"data": "node", "axes": "reduction_axes"}, (*inputs, *attributes))
    if inputs == ["data"] and not attributes and builder not in _OF_NODE:
        return _renamed({"data": "node"}, inputs)
    return _renamed({}, (*inputs, *attributes))


def _renamed(names: dict[str, str], declared: Sequence[str]) -> tuple[Parameter, ...]:
    return tuple(Parameter(names.get(item, item), item) for item in declared)


def _parameter(word: str) -> Parameter:
    if word.startswith("*"):
        return Parameter(word[1:], None)
    name, _, declared = word.partition(">")
    return Parameter(name, declared or name)
