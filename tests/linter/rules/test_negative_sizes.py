"""Negative sizes in constants that set the shape of a result."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.linter.rules.support import findings, layer, net, port, told

X = layer(0, "x", "Parameter", 1, 'shape="2,3" element_type="f32"', outputs=port(0, "FP32", 2, 3))


def shaped(type: str, opset: int, data: str, sizes: list[int], left: list[int]) -> tuple[str, bytes]:
    """Return a layer whose second input is a constant list of sizes."""
    count = len(sizes)
    text = net(
        X,
        layer(
            1,
            "sizes",
            "Const",
            1,
            f'element_type="i64" shape="{count}" offset="0" size="{8 * count}"',
            outputs=port(0, "I64", count),
        ),
        layer(2, "op", type, opset, data, port(0, "FP32", 2, 3) + port(1, "I64", count), port(2, "FP32", *left)),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", *left)),
        edges="0.0>2.0 1.0>2.1 2.2>9.0",
    )
    return text, struct.pack(f"<{count}q", *sizes)


@pytest.mark.parametrize(
    ("type", "opset", "data", "sizes", "message"),
    [
        ("Broadcast", 1, 'mode="numpy"', [-4, 2, 3], "input 1 (target_shape) holds -4, but a size cannot be negative"),
        ("Broadcast", 3, 'mode="numpy"', [2, -3], "input 1 (target_shape) holds -3, but a size cannot be negative"),
        (
            "Broadcast",
            3,
            'mode="bidirectional"',
            [-1, 2, 3],
            "input 1 (target_shape) holds -1, but a size cannot be negative",
        ),
        ("Tile", 1, "", [-2, 1], "input 1 (repeats) holds -2, but a size cannot be negative"),
        (
            "Reshape",
            1,
            'special_zero="true"',
            [-3, 2],
            "shape holds -3, but a size cannot be negative; expected -1, 0 or a size",
        ),
    ],
)
def test_one_finding_that_says_so(
    type: str, opset: int, data: str, sizes: list[int], message: str, tmp_path: Path
) -> None:
    (found,) = findings(tmp_path, *shaped(type, opset, data, sizes, [0, 3]))
    assert told([found]) == [("IR304", "error", message)]
    assert found.port == "1"


def test_what_depends_on_it_is_silent(tmp_path: Path) -> None:
    text, weights = shaped("Broadcast", 3, 'mode="numpy"', [-4, 3], [7, 7])
    assert [item.code for item in findings(tmp_path, text, weights)] == ["IR304"]


def test_a_size_that_is_computed(tmp_path: Path) -> None:
    text, weights = shaped("Reshape", 1, 'special_zero="false"', [2, 3], [2, 3])
    text = text.replace('<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>', "")
    negated = layer(3, "negated", "Negative", 1, inputs=port(0, "I64", 2), outputs=port(1, "I64", 2))
    text = text.replace("</layers>", f"{negated}</layers>").replace(
        "<edges>",
        '<edges><edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>'
        '<edge from-layer="3" from-port="1" to-layer="2" to-port="1"/>',
    )
    assert told(findings(tmp_path, text, weights)) == [
        ("IR304", "error", "shape holds -2, but a size cannot be negative; expected -1, 0 or a size")
    ]
