"""Absent attributes for which OpenVINO and the specification differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.linter.rules.support import findings, layer, net, port, told

X = layer(0, "x", "Parameter", 1, 'shape="1,8,4,4" element_type="f32"', outputs=port(0, "FP32", 1, 8, 4, 4))
BOXES = layer(1, "boxes", "Parameter", 1, 'shape="2,5" element_type="f32"', outputs=port(0, "FP32", 2, 5))
REFUSED = "OpenVINO refuses the layer, the specification says"


def unary(type: str, data: str, precision: str, *left: int, opset: int = 1) -> str:
    return net(
        X,
        layer(2, "op", type, opset, data, port(0, "FP32", 1, 8, 4, 4), port(1, precision, *left)),
        layer(9, "y", "Result", 1, inputs=port(0, precision, *left)),
        edges="0.0>2.0 2.1>9.0",
    )


def pooled(data: str, *left: int) -> str:
    ports = port(0, "FP32", 1, 8, 4, 4) + port(1, "FP32", 2, 5)
    return net(
        X,
        BOXES,
        layer(2, "op", "PSROIPooling", 1, data, ports, port(2, "FP32", *left)),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", *left)),
        edges="0.0>2.0 1.0>2.1 2.2>9.0",
    )


AVERAGE = 'output_dim="2" group_size="2" spatial_scale="1" mode="average"'
BILINEAR = 'output_dim="2" group_size="2" spatial_scale="1" mode="bilinear"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (unary("ShapeOf", "", "I64", 4, opset=3), f"output_type is absent: {REFUSED} i64"),
        (unary("SpaceToDepth", 'mode="blocks_first"', "FP32", 1, 8, 4, 4), f"block_size is absent: {REFUSED} 1"),
        (unary("DepthToSpace", 'mode="blocks_first"', "FP32", 1, 8, 4, 4), f"block_size is absent: {REFUSED} 1"),
        (pooled(AVERAGE.replace(' mode="average"', ""), 2, 2, 2, 2), f"mode is absent: {REFUSED} average"),
        (
            pooled('output_dim="2" spatial_scale="1"', 2, 2, 1, 1),
            f"group_size and mode are absent: {REFUSED} 1 and average",
        ),
        (
            pooled(f'{BILINEAR} spatial_bins_x="2"', 2, 2, 2, 2),
            "spatial_bins_y is absent: OpenVINO reads 0 and refuses the layer, the specification says 1",
        ),
        (
            pooled(BILINEAR, 2, 2, 2, 2),
            "spatial_bins_x and spatial_bins_y are absent: OpenVINO reads 0 and refuses the layer, "
            "the specification says 1",
        ),
    ],
)
def test_an_attribute_that_openvino_demands(text: str, message: str, tmp_path: Path) -> None:
    assert told(findings(tmp_path, text)) == [("IR312", "warning", message)]


@pytest.mark.parametrize(
    "text",
    [
        pooled(AVERAGE, 2, 2, 2, 2),
        pooled(f'{BILINEAR} spatial_bins_x="2" spatial_bins_y="2"', 2, 2, 2, 2),
        unary("ShapeOf", "", "I64", 4),
        unary("ShuffleChannels", 'group="2"', "FP32", 1, 8, 4, 4),
    ],
    ids=["bins that are not used", "bins", "an older version", "the same default"],
)
def test_attributes_that_need_not_be_there(text: str, tmp_path: Path) -> None:
    assert told(findings(tmp_path, text)) == []


def test_a_bare_layer_is_what_the_specification_prints(tmp_path: Path) -> None:
    text = layer(2, "op", "ShapeOf", 3, "", port(0, "FP32", 2, 3), port(1, "I64", 2))
    assert told(findings(tmp_path, text)) == []
