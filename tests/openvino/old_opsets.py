"""Checks of builders and layers of old opsets, of variables of models, and of tensors of 3 and 6 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32


def _built(version: str, name: str, *shapes: list[int], **attributes: Any) -> Check:
    """Return a check of the outputs of a node with Parameters of these shapes."""

    def check(ov: Any) -> Any:
        ops = getattr(ov, version)
        node = getattr(ops, name)(*(ops.parameter(shape, F) for shape in shapes), **attributes)
        return [[output.get_partial_shape(), output.get_element_type()] for output in node.outputs()]

    return check


def _with_state(ov: Any, shape: list[int]) -> Any:
    ops = ov.opset13
    x = ops.parameter([-1, 2], F, name="x")
    read = ov.opset6.read_value(ops.constant(np.zeros((1, 2), F)), "v", F, shape)
    joined = ops.concat([read, x], 0)
    return ov.Model([ops.result(joined)], [ov.opset6.assign(joined, "v")], [x], "m")


def _reshaped(ov: Any) -> Any:
    model = _with_state(ov, [-1, 2])
    model.reshape({"x": [3, 2]}, {"v": [4, 2]})
    return [model.inputs[0].partial_shape, model.outputs[0].partial_shape]


def _added(ov: Any) -> Any:
    x = ov.opset13.parameter([1, 2], F, name="x")
    info = ov.op.util.VariableInfo()
    info.data_shape, info.data_type, info.variable_id = ov.PartialShape([1, 2]), ov.Type.f32, "w"
    model = ov.Model([ov.opset13.relu(x)], [x], "m")
    model.add_variables([ov.op.util.Variable(info)])
    return [len(model.get_variables()), model.get_variable_by_id("w").info.variable_id]


def _padded(ov: Any) -> Any:
    attributes = {
        "axes": np.array([2, 3]),
        "mode": "nearest",
        "align_corners": False,
        "antialias": False,
        "pads_begin": np.array([0, 1]),
        "pads_end": np.array([0, 1]),
    }
    x = ov.opset1.parameter([1, 1, 4, 4], F)
    node = ov.opset1.interpolate(x, ov.opset1.constant(np.array([8, 8])), attributes)
    return list(ov.compile_model(ov.Model([node], [x], "m"), "CPU")(np.ones((1, 1, 4, 4), F))[0].shape)


def _run(name: str, arrays: list[Any], *constants: Any, opset: int = 13, output: int = 0) -> Check:
    """Return a check of the results of a node with Parameters for some arrays, and constants behind them."""

    def check(ov: Any) -> Any:
        ops = getattr(ov, f"opset{opset}")
        inputs = [ops.parameter(list(array.shape), array.dtype) for array in arrays]
        made = [item(ov) if callable(item) else item for item in constants]
        model = ov.Model([getattr(ops, name)(*inputs, *made).output(output)], inputs, "m")
        return ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(arrays)[0]

    return check


def _random(*shape: int) -> Any:
    return np.random.default_rng(0).random(shape, F)


def _binary(ov: Any) -> Any:
    return ov.op.Constant(ov.Type.u1, ov.Shape([1, 8, 3, 3]), [0] + [1] * 71)


def _attributes(name: str, *shapes: list[int], opset: int = 13, **more: Any) -> Check:
    """Return a check of the attributes of a node with Parameters of these shapes."""

    def check(ov: Any) -> Any:
        ops = getattr(ov, f"opset{opset}")
        return getattr(ops, name)(*(ops.parameter(shape, F) for shape in shapes), **more).get_attributes()

    return check


_PROPOSAL = {
    **{name: np.uint64(value) for name, value in (("base_size", 16), ("feat_stride", 16), ("min_size", 8))},
    **{name: np.uint64(value) for name, value in (("pre_nms_topn", 20), ("post_nms_topn", 6))},
    "nms_thresh": F(0.5),
    "ratio": np.array([0.5, 1, 2], F),
    "scale": np.array([2, 4], F),
}

CHECKS: dict[str, Check] = {
    "layers, binary convolution": _run(
        "binary_convolution", [np.ones((1, 8, 5, 5), F)], _binary, [1, 1], [0, 0], [0, 0], [1, 1], "xnor-popcount", 0.0
    ),
    "layers, ctc greedy decoder": _run("ctc_greedy_decoder", [_random(4, 1, 5), np.ones((4, 1), F)]),
    "layers, region yolo": _run("region_yolo", [_random(1, 125, 4, 4)], 4, 20, 5, True, [0, 1, 2], 1, 3, [1.0] * 10),
    "layers, proposal": _run(
        "proposal", [_random(1, 12, 4, 4), _random(1, 24, 4, 4) / 10, np.array([64, 64, 1], F)], _PROPOSAL
    ),
    "layers, roi pooling by position": _run(
        "roi_pooling", [_random(1, 3, 8, 8), np.array([[0, 1, 1, 6, 6]], F)], [2, 2], 1.0, "max"
    ),
    "attributes, fake convert": _attributes("fake_convert", [2], [1]),
    "attributes, fake convert to f8e5m2": _attributes("fake_convert", [2], [1], [1], destination_type="f8e5m2"),
    "attributes, attention": _attributes("scaled_dot_product_attention", *[[1, 4, 8]] * 3),
    "attributes, average pooling of regions": _attributes(
        "psroi_pooling",
        [1, 72, 8, 8],
        [2, 5],
        output_dim=2,
        group_size=6,
        spatial_scale=0.0625,
        spatial_bins_x=3,
        spatial_bins_y=3,
        mode="average",
    ),
    "attributes, gather elements": lambda ov: ov.opset13.gather_elements(
        ov.opset13.parameter([2, 3], F), np.zeros((1, 3), np.int32)
    ).get_attributes(),
    **{
        f"version of range in opset{opset}": lambda ov, opset=opset: (
            getattr(ov, f"opset{opset}")
            .range(*(getattr(ov, f"opset{opset}").constant(np.int32(number)) for number in (0, 4, 1)))
            .get_type_info()
            .version_id
        )
        for opset in (1, 4, 11)
    },
    **{
        f"version of interpolate in opset{opset}": lambda ov, opset=opset: (
            getattr(ov, f"opset{opset}")
            .interpolate(
                getattr(ov, f"opset{opset}").parameter([1, 1, 4, 4], F),
                np.array([8, 8]),
                {"axes": np.array([2, 3]), "mode": "nearest"},
            )
            .get_type_info()
            .version_id
        )
        for opset in range(1, 10)
    },
    "old opsets, ctc_greedy_decoder": _built("opset1", "ctc_greedy_decoder", [4, 1, 5], [4, 1]),
    "old opsets, reorg_yolo": _built("opset2", "reorg_yolo", [1, 64, 26, 26], stride=[2]),
    "old opsets, roi_pooling": _built(
        "opset2", "roi_pooling", [1, 3, 8, 8], [2, 5], output_roi=[2, 2], spatial_scale=1.0, method="Max"
    ),
    "old opsets, region_yolo": _built(
        "opset1",
        "region_yolo",
        [1, 125, 13, 13],
        coords=4,
        classes=20,
        num=5,
        do_softmax=True,
        mask=[0],
        axis=1,
        end_axis=3,
        anchors=[1.0, 2.0],
    ),
    "old opsets, gather_elements": lambda ov: (
        ov.opset6.gather_elements(ov.opset6.parameter([2, 3], F), ov.opset6.constant(np.zeros((2, 1), np.int32)), 1)
        .output(0)
        .partial_shape
    ),
    "old opsets, interpolate with two pads": _padded,
    "variables are reshaped to what does not fit": _reshaped,
    "variables are added": _added,
    "tensors of 3 bits": lambda ov: [ov.Tensor(ov.Type.u3, ov.Shape([n])).byte_size for n in (1, 8, 9)],
    "tensors of 6 bits": lambda ov: [ov.Tensor(ov.Type.u6, ov.Shape([n])).byte_size for n in (1, 4, 5)],
    "tensor of 3 bits in an array": lambda ov: ov.Tensor(np.zeros(3, np.uint8), ov.Shape([8]), ov.Type.u3).byte_size,
}
