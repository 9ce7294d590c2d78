"""Sizes that are hard-coded, always zero, or larger than any memory."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.linter.models import NET
from tests.linter.rules.support import findings, layer, net, port, told


def reshaped(shape: str, pattern: list[int], out: list[int], special_zero: bool = False) -> tuple[str, bytes]:
    """Return a ReLU of an input of this shape, reshaped by a constant; ``out`` are the declared dims."""
    dims = [-1 if dim == "?" else int(dim) for dim in shape.split(",")]
    count = len(pattern)
    text = net(
        layer(0, "x", "Parameter", 1, f'shape="{shape}" element_type="f32"', outputs=port(0, "FP32", *dims)),
        layer(1, "act", "ReLU", 1, inputs=port(0, "FP32", *dims), outputs=port(1, "FP32", *dims)),
        layer(
            2,
            "pattern",
            "Const",
            1,
            f'element_type="i64" shape="{count}" offset="0" size="{8 * count}"',
            "",
            port(0, "I64", count),
        ),
        layer(
            3,
            "flat",
            "Reshape",
            1,
            f'special_zero="{str(special_zero).lower()}"',
            port(0, "FP32", *dims) + port(1, "I64", count),
            port(2, "FP32", *out),
        ),
        layer(4, "y", "Result", 1, inputs=port(0, "FP32", *out)),
        edges="0.0>1.0 1.1>3.0 2.0>3.1 3.2>4.0",
    )
    return text, struct.pack(f"<{count}q", *pattern)


def test_a_batch_that_is_wired_into_a_pattern(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, *reshaped("?,3,4", [2, 12], [2, 12]))
    assert told([found]) == [("IR406", "warning", "the constant pattern [2,12] fits only where x[0] is 2")]
    assert found.notes == (
        "input 0: f32[?,3,4]",
        'x[0] is a dynamic dim of "x" through "act"',
        'a ShapeOf of "act" has the size',
    )
    assert found.port == "1"


def test_a_batch_that_moves_into_another_axis(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *reshaped("?,?,8", [1, -1, 8], [1, -1, 8]))) == [
        (
            "IR406",
            "info",
            "the constant pattern [1,-1,8] sets axis 0 to 1, where x[0] arrives; -1 infers the size",
        )
    ]


@pytest.mark.parametrize(
    ("shape", "pattern", "out"),
    [
        ("?,3,4", [-1, 12], [-1, 12]),
        ("?,3,4", [0, 12], [-1, 12]),
        ("1,3,4", [1, 12], [1, 12]),
        ("?,8", [1, -1, 8], [1, -1, 8]),
    ],
    ids=["rest", "copied", "static", "one axis more"],
)
def test_patterns_that_take_any_size(shape: str, pattern: list[int], out: list[int], tmp_path: Path) -> None:
    assert told(findings(tmp_path, *reshaped(shape, pattern, out, special_zero=True))) == []


def test_two_open_sizes_that_must_match_together_are_an_information(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *reshaped("?,?,2", [24], [24]))) == [
        ("IR406", "info", "the constant pattern [24] fits only where 2*x[0]*x[1] is 24")
    ]


def test_a_size_is_too_large_at_its_origin_only(tmp_path: Path) -> None:
    text = NET.replace("<dim>2</dim>", "<dim>1000000000000</dim>").replace('"2,3"', '"1000000000000,3"')
    (found,) = findings(tmp_path, text)
    assert found.layer is not None
    assert (found.code, found.layer.name, found.message) == ("IR902", "x", "f32[1000000000000,3] takes 10.91 TiB")


def test_dims_whose_product_overflows(tmp_path: Path) -> None:
    text = NET.replace("<dim>2</dim><dim>3</dim>", "<dim>4294967296</dim><dim>4294967296</dim>")
    assert told(findings(tmp_path, text.replace('"2,3"', '"4294967296,4294967296"'))) == [
        ("IR902", "error", "f32[4294967296,4294967296] takes 2^63 bytes or more")
    ]


def test_an_input_that_is_always_empty(tmp_path: Path) -> None:
    text = NET.replace("<dim>2</dim>", "<dim>0</dim>").replace('"2,3"', '"0,3"')
    assert told(findings(tmp_path, text)) == [
        ("IR405", "info", "output port 0 is f32[0,3], which never has an element")
    ]
