"""The ranges of constants in the weights file, and their content."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from irrun.linter.contents import BLOCK
from tests.linter.models import CONST, PAIR, PAIR_WEIGHTS, WEIGHED
from tests.linter.rules.support import findings, layer, net, port, told


def constants(*spans: tuple[str, int, int, int]) -> str:
    """Return a model of constants: element type, number of elements, offset, size."""
    precisions = {"f32": "FP32", "f64": "FP64", "f16": "FP16", "bf16": "BF16", "i64": "I64", "f8e4m3": "F8E4M3"}
    layers, edges = [], []
    for id, (kind, count, offset, size) in enumerate(spans):
        data = f'element_type="{kind}" shape="{count}" offset="{offset}" size="{size}"'
        out = port(0, precisions[kind], count)
        layers.append(layer(id, f"c{id}", "Const", 1, data, "", out))
        layers.append(layer(100 + id, f"y{id}", "Result", 1, inputs=out))
        edges.append(f"{id}.0>{100 + id}.0")
    return net(*layers, edges=" ".join(edges))


def test_equal_ranges_are_one_value_stored_once(tmp_path: Path) -> None:
    text = constants(("f32", 4, 0, 16), ("f32", 4, 0, 16))
    assert told(findings(tmp_path, text, struct.pack("<4f", 1, 2, 3, 4))) == []


def test_zeros_are_shared_between_types_and_nothing_else_is(tmp_path: Path) -> None:
    text = constants(("f32", 4, 0, 16), ("i64", 2, 0, 16))
    assert told(findings(tmp_path, text, bytes(16))) == []
    assert told(findings(tmp_path, text, struct.pack("<2q", 1, 2))) == [
        ("IR506", "warning", 'bytes 0 to 16 overlap those of layer 0 "c0", which has 0 to 16')
    ]


@pytest.mark.parametrize("moved", [0, 8, 20])
def test_the_constant_that_left_its_place_is_the_culprit(moved: int, tmp_path: Path) -> None:
    spans = [("f32", 4, 0, 16), ("f32", 2, 16, 8), ("f32", 8, 24, 32), ("f32", 4, 56, 16)]
    sound = constants(*spans)
    assert told(findings(tmp_path, sound, bytes(72))) == []
    spans[2] = ("f32", 8, moved, 32)
    (found,) = findings(tmp_path, constants(*spans), bytes(72))
    assert found.layer is not None
    assert (found.code, found.layer.name, found.anchor.attribute) == ("IR506", "c2", "offset")


def test_bytes_that_no_constant_takes(tmp_path: Path) -> None:
    text = constants(("f32", 4, 0, 16), ("f32", 4, 116, 16))
    assert told(findings(tmp_path, text, bytes(200))) == [
        ("IR508", "info", "no constant uses 168 of the 200 bytes of model.bin: 16 to 116, 132 to 200")
    ]


def test_padding_is_fine(tmp_path: Path) -> None:
    assert told(findings(tmp_path, constants(("f32", 1, 0, 4), ("f32", 4, 64, 16)), bytes(96))) == []


def test_a_packed_file_is_not_misaligned(tmp_path: Path) -> None:
    text = constants(("f16", 1, 0, 2), ("f32", 1, 2, 4), ("i64", 1, 6, 8))
    assert told(findings(tmp_path, text, bytes(14))) == []


def test_truncated_weights_are_one_finding(tmp_path: Path) -> None:
    text = constants(("f32", 4, 0, 16), ("f32", 4, 16, 16), ("f32", 4, 32, 16))
    (found,) = findings(tmp_path, text, bytes(20))
    assert (found.code, found.notes[-1]) == ("IR502", "1 more constant reaches beyond it")


def test_no_weights_are_needed(tmp_path: Path) -> None:
    assert told(findings(tmp_path, CONST)) == []
    assert [item[:2] for item in told(findings(tmp_path, WEIGHED))] == [("IR504", "info")]


@pytest.mark.parametrize(
    ("kind", "size", "code"),
    [
        ("f64", 8, 0x7FF8000000000000),
        ("f32", 4, 0x7FC00000),
        ("f32", 4, 0xFFC00001),
        ("f16", 2, 0x7E00),
        ("bf16", 2, 0x7FC0),
        ("f8e4m3", 1, 0x7F),
    ],
)
def test_a_nan_of_each_type(kind: str, size: int, code: int, tmp_path: Path) -> None:
    count = 16
    weights = bytes(5 * size) + code.to_bytes(size, "little") + bytes((count - 6) * size)
    text = constants((kind, count, 0, count * size))
    assert told(findings(tmp_path, text, weights)) == [("IR601", "info", "1 of 16 elements is NaN, first [5]")]


def test_a_nan_beyond_the_first_block(tmp_path: Path) -> None:
    values = np.zeros(3 * BLOCK, dtype="<f4")
    values[[2 * BLOCK + 7, 2 * BLOCK + 9]] = np.nan
    text = constants(("f32", BLOCK, 0, 4 * BLOCK), ("f32", 2 * BLOCK, 4 * BLOCK, 8 * BLOCK))
    (found,) = findings(tmp_path, text, values.tobytes())
    assert found.layer is not None
    assert (found.layer.name, found.message) == ("c1", f"2 of {2 * BLOCK} elements are NaN, first [{BLOCK + 7}]")


def test_a_nan_in_bytes_that_two_constants_share_is_one_finding(tmp_path: Path) -> None:
    text = constants(("f32", 4, 0, 16), ("f32", 4, 0, 16))
    (found,) = findings(tmp_path, text, struct.pack("<4f", 1, float("nan"), 3, 4))
    assert (found.code, found.notes) == ("IR601", ('layer 1 "c1" shares these bytes',))


def test_infinities_of_a_mask_are_an_information(tmp_path: Path) -> None:
    weights = struct.pack("<4f", 0, float("-inf"), float("-inf"), 0)
    assert told(findings(tmp_path, constants(("f32", 4, 0, 16)), weights)) == [
        ("IR602", "info", "2 of 4 elements are infinite, first [1]")
    ]


def test_subnormals_of_a_file_are_one_finding(tmp_path: Path) -> None:
    weights = struct.pack("<4f", 1e-40, 1.2e-38, -1e-45, 0) + struct.pack("<4f", 1, 1e-39, 0, 0)
    (found,) = findings(tmp_path, constants(("f32", 4, 0, 16), ("f32", 4, 16, 16)), weights)
    assert (found.code, found.message) == ("IR603", "2 of 4 elements are subnormal")
    assert found.notes == ("3 elements in 2 constants in all",)


def test_integers_beyond_32_bits(tmp_path: Path) -> None:
    text = constants(("i64", 2, 0, 16))
    assert told(findings(tmp_path, text, struct.pack("<2q", -(2**31), 2**31 - 1))) == []
    assert [item.message for item in findings(tmp_path, text, struct.pack("<2q", 0, -(2**31) - 1))] == [
        "-2147483649 does not fit into 32 bits, in which OpenVINO's CPU plugin computes i64"
    ]


def test_contents_of_overlapping_constants_are_not_judged(tmp_path: Path) -> None:
    text = PAIR.replace('offset="8"', 'offset="4"')
    assert [item.code for item in findings(tmp_path, text, struct.pack("<2f4I", 1, float("nan"), 7, 0, 0, 0))] == [
        "IR506"
    ]


def test_a_sound_file(tmp_path: Path) -> None:
    assert told(findings(tmp_path, PAIR, PAIR_WEIGHTS)) == []
