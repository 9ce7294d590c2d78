"""Constants that scale by zero, and shape arithmetic that overflows."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.linter.rules.support import findings, layer, net, port, told

X = layer(0, "x", "Parameter", 1, 'shape="3,2" element_type="f32"', outputs=port(0, "FP32", 3, 2))


def floats(id: int, name: str, count: int, offset: int) -> str:
    data = f'element_type="f32" shape="{count}" offset="{offset}" size="{4 * count}"'
    return layer(id, name, "Const", 1, data, outputs=port(0, "FP32", count))


def dequantized(scales: list[float]) -> tuple[str, bytes]:
    """Return i8 weights, converted and multiplied by two scales, and the product of an input with them."""
    text = net(
        X,
        layer(1, "weights", "Const", 1, 'element_type="i8" shape="4,2" offset="0" size="8"', "", port(0, "I8", 4, 2)),
        layer(2, "wide", "Convert", 1, 'destination_type="f32"', port(0, "I8", 4, 2), port(1, "FP32", 4, 2)),
        floats(3, "scale", 2, 8),
        layer(4, "w", "Multiply", 1, "", port(0, "FP32", 4, 2) + port(1, "FP32", 2), port(2, "FP32", 4, 2)),
        layer(
            5,
            "product",
            "MatMul",
            1,
            'transpose_a="false" transpose_b="true"',
            port(0, "FP32", 3, 2) + port(1, "FP32", 4, 2),
            port(2, "FP32", 3, 4),
        ),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", 3, 4)),
        edges="1.0>2.0 2.1>4.0 3.0>4.1 0.0>5.0 4.2>5.1 5.2>9.0",
    )
    return text, bytes(range(8)) + struct.pack("<2f", *scales)


def normalized(gamma: list[float]) -> tuple[str, bytes]:
    lists = "".join(port(id, "FP32", 2) for id in range(1, 5))
    text = net(
        X,
        floats(1, "gamma", 2, 0),
        floats(2, "ones", 2, 8),
        layer(
            3,
            "norm",
            "BatchNormInference",
            5,
            'epsilon="0.001"',
            port(0, "FP32", 3, 2) + lists,
            port(5, "FP32", 3, 2),
        ),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", 3, 2)),
        edges="0.0>3.0 1.0>3.1 2.0>3.2 2.0>3.3 2.0>3.4 3.5>9.0",
    )
    return text, struct.pack("<4f", *gamma, 1, 1)


@pytest.mark.parametrize(
    ("scales", "said"),
    [
        ([0.5, 0.25], []),
        ([0.5, 0.0], [("IR608", "info", "1 of 2 scales is 0: the weights that it scales are lost")]),
        ([0.0, 0.0], [("IR608", "warning", "2 of 2 scales are 0: the weights that it scales are lost")]),
    ],
)
def test_scales_of_compressed_weights(scales: list[float], said: list[tuple[str, str, str]], tmp_path: Path) -> None:
    assert told(findings(tmp_path, *dequantized(scales))) == said


@pytest.mark.parametrize(
    ("gamma", "said"),
    [
        ([1.0, 2.0], []),
        ([1.0, 0.0], [("IR608", "info", "1 of 2 scales is 0: the channel no longer depends on the input")]),
        ([0.0, 0.0], [("IR608", "warning", "2 of 2 scales are 0: the channel no longer depends on the input")]),
    ],
)
def test_gamma(gamma: list[float], said: list[tuple[str, str, str]], tmp_path: Path) -> None:
    assert told(findings(tmp_path, *normalized(gamma))) == said


def multiplied(numbers: list[int], type: str = "i32") -> tuple[str, bytes]:
    """Return the product of two shapes, as the pattern of a Reshape."""
    precision, size = type.upper(), 4 if type == "i32" else 8
    data = f'element_type="{type}" shape="1" offset="{{}}" size="{size}"'
    text = net(
        X,
        layer(1, "a", "Const", 1, data.format(0), outputs=port(0, precision, 1)),
        layer(2, "b", "Const", 1, data.format(size), outputs=port(0, precision, 1)),
        layer(3, "size", "Multiply", 1, "", port(0, precision, 1) + port(1, precision, 1), port(2, precision, 1)),
        layer(
            4,
            "flat",
            "Reshape",
            1,
            'special_zero="false"',
            port(0, "FP32", 3, 2) + port(1, precision, 1),
            port(2, "FP32", 6),
        ),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", 6)),
        edges="1.0>3.0 2.0>3.1 0.0>4.0 3.2>4.1 4.2>9.0",
    )
    return text, struct.pack("<2i" if type == "i32" else "<2q", *numbers)


@pytest.mark.parametrize(
    ("numbers", "type", "message"),
    [
        ([65536, 65536], "i32", "4294967296 does not fit into i32 and becomes 0"),
        ([65536, 32768], "i32", "2147483648 does not fit into i32 and becomes -2147483648"),
        ([1 << 32, 1 << 32], "i64", "18446744073709551616 does not fit into i64 and becomes 0"),
    ],
)
def test_a_product_that_overflows(numbers: list[int], type: str, message: str, tmp_path: Path) -> None:
    """The Reshape by the overflowed number has no finding of its own."""
    (found,) = findings(tmp_path, *multiplied(numbers, type))
    assert told([found]) == [("IR408", "error", message)]
    assert found.layer is not None
    assert found.layer.name == "size"


def test_a_product_that_fits(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *multiplied([2, 3]))) == []


def divided(divisors: list[float]) -> tuple[str, bytes]:
    text = net(
        X,
        floats(1, "by", 2, 0),
        layer(2, "quotient", "Divide", 1, "", port(0, "FP32", 3, 2) + port(1, "FP32", 2), port(2, "FP32", 3, 2)),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", 3, 2)),
        edges="0.0>2.0 1.0>2.1 2.2>9.0",
    )
    return text, struct.pack("<2f", *divisors)


@pytest.mark.parametrize(
    ("divisors", "zeros"),
    [([2.0, 4.0], ""), ([2.0, 0.0], "1 of 2 divisors is 0"), ([0.0, -0.0], "2 of 2 divisors are 0")],
)
def test_divisors(divisors: list[float], zeros: str, tmp_path: Path) -> None:
    what = "quotients become infinite, or NaN where the dividend is 0"
    said = [("IR608", "warning", f"{zeros}: {what}")] if zeros else []
    assert told(findings(tmp_path, *divided(divisors))) == said
