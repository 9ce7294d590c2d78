"""A fault hides the findings that follow from it, and no others."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.linter.rules.support import findings, layer, net, port

SIZES = struct.pack("<2q", 1 << 33, 0)


def constant(id: int, name: str, type: str, offset: int, count: int = 1) -> str:
    size = count * (8 if type == "i64" else 4)
    data = f'element_type="{type}" shape="{count}" offset="{offset}" size="{size}"'
    return layer(id, name, "Const", 1, data, outputs=port(0, {"i64": "I64", "f32": "FP32"}[type], count))


def product(id: int, name: str) -> str:
    return layer(id, name, "Multiply", 1, "", port(0, "I64", 1) + port(1, "I64", 1), port(2, "I64", 1))


def overflowing(*layers: str, edges: str = "") -> str:
    """Return a product of 2**66 that is the pattern of a Reshape, with more layers beside it."""
    return net(
        layer(0, "x", "Parameter", 1, 'shape="3,2" element_type="f32"', outputs=port(0, "FP32", 3, 2)),
        constant(1, "size", "i64", 0),
        product(2, "count"),
        layer(
            3,
            "flat",
            "Reshape",
            1,
            'special_zero="false"',
            port(0, "FP32", 3, 2) + port(1, "I64", 1),
            port(2, "FP32", 6),
        ),
        layer(4, "y", "Result", 1, inputs=port(0, "FP32", 6)),
        *layers,
        edges=f"1.0>2.0 1.0>2.1 0.0>3.0 2.2>3.1 3.2>4.0 {edges}",
    )


def found(folder: Path, text: str, weights: bytes) -> list[tuple[str, str]]:
    return [(item.code, item.layer.name if item.layer is not None else "") for item in findings(folder, text, weights)]


def test_what_follows_from_an_overflow_is_hidden(tmp_path: Path) -> None:
    assert found(tmp_path, overflowing(), SIZES) == [("IR408", "count")]


def test_what_stands_beside_an_overflow_is_not(tmp_path: Path) -> None:
    layers = (
        layer(5, "act", "ReLU", 1, "", port(0, "FP32", 3, 2), port(1, "FP32", 3, 7)),
        layer(6, "z", "Result", 1, inputs=port(0, "FP32", 3, 2)),
        layer(7, "max", "SoftMax", 1, 'axis="5"', port(0, "FP32", 3, 2), port(1, "FP32", 3, 2)),
        layer(8, "w", "Result", 1, inputs=port(0, "FP32", 3, 2)),
    )
    text = overflowing(*layers, edges="0.0>5.0 5.1>6.0 0.0>7.0 7.1>8.0")
    assert found(tmp_path, text, SIZES) == [("IR408", "count"), ("IR401", "act"), ("IR304", "max")]


def test_an_overflow_behind_an_overflow_is_hidden(tmp_path: Path) -> None:
    layers = (
        constant(5, "most", "i64", 8),
        layer(6, "sum", "Subtract", 1, "", port(0, "I64", 1) + port(1, "I64", 1), port(2, "I64", 1)),
        layer(7, "n", "Result", 1, inputs=port(0, "I64", 1)),
    )
    weights = struct.pack("<2q", 1 << 33, -(1 << 63))
    assert found(tmp_path, overflowing(*layers, edges="2.2>6.0 5.0>6.1 6.2>7.0"), weights)[0] == ("IR408", "count")
    assert ("IR408", "sum") not in found(tmp_path, overflowing(*layers, edges="2.2>6.0 5.0>6.1 6.2>7.0"), weights)


def test_a_nan_is_found_beside_wrong_dims(tmp_path: Path) -> None:
    text = net(
        layer(0, "x", "Parameter", 1, 'shape="2" element_type="f32"', outputs=port(0, "FP32", 2)),
        constant(1, "bias", "f32", 0, 2),
        layer(2, "sum", "Add", 1, "", port(0, "FP32", 2) + port(1, "FP32", 2), port(2, "FP32", 3)),
        layer(3, "y", "Result", 1, inputs=port(0, "FP32", 2)),
        edges="0.0>2.0 1.0>2.1 2.2>3.0",
    )
    assert found(tmp_path, text, struct.pack("<2f", 1, float("nan"))) == [("IR601", "bias"), ("IR401", "sum")]
