"""Constant bounds of slices for inputs of dynamic size."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.linter.rules.support import findings, layer, net, port, told


def constant(id: int, name: str, numbers: int, place: int) -> str:
    data = f'element_type="i64" shape="{numbers}" offset="{8 * place}" size="{8 * numbers}"'
    return layer(id, name, "Const", 1, data, outputs=port(0, "I64", numbers))


def parameter(*dims: int) -> str:
    shape = ",".join("?" if dim < 0 else str(dim) for dim in dims)
    return layer(0, "x", "Parameter", 1, f'shape="{shape}" element_type="f32"', outputs=port(0, "FP32", *dims))


def relu(*dims: int) -> str:
    return layer(1, "act", "ReLU", 1, inputs=port(0, "FP32", *dims), outputs=port(1, "FP32", *dims))


def lists(*numbers: Sequence[int]) -> bytes:
    flat = [number for several in numbers for number in several]
    return struct.pack(f"<{len(flat)}q", *flat)


def strided(dims: Sequence[int], end: Sequence[int], left: Sequence[int], end_mask: str) -> tuple[str, bytes]:
    """Return a ReLU of an input of these dims, sliced to ``end``."""
    rank = len(dims)
    bounds = port(0, "FP32", *dims) + port(1, "I64", rank) + port(2, "I64", rank)
    data = f'begin_mask="{",".join("0" * rank)}" end_mask="{end_mask}"'
    text = net(
        parameter(*dims),
        relu(*dims),
        constant(2, "begin", rank, 0),
        constant(3, "end", rank, rank),
        layer(4, "cut", "StridedSlice", 1, data, bounds, port(3, "FP32", *left)),
        layer(5, "y", "Result", 1, inputs=port(0, "FP32", *left)),
        edges="0.0>1.0 1.1>4.0 2.0>4.1 3.0>4.2 4.3>5.0",
    )
    return text, lists([0] * rank, end)


def sliced(dims: Sequence[int], axis: int, start: int, stop: int, *, added: bool = False) -> tuple[str, bytes]:
    """Return a ReLU of an input of these dims, sliced to ``stop`` along one axis; ``added`` adds it to the ReLU."""
    left = [-1 if at == axis else dim for at, dim in enumerate(dims)]
    ports = port(0, "FP32", *dims) + "".join(port(id, "I64", 1) for id in range(1, 5))
    out = layer(8, "y", "Result", 1, inputs=port(0, "FP32", *left))
    tail = layer(7, "tail", "ReLU", 1, inputs=port(0, "FP32", *left), outputs=port(1, "FP32", *left))
    if added:
        both = port(0, "FP32", *dims) + port(1, "FP32", *left)
        tail = layer(7, "tail", "Add", 1, inputs=both, outputs=port(2, "FP32", *left))
    text = net(
        parameter(*dims),
        relu(*dims),
        *(constant(2 + at, name, 1, at) for at, name in enumerate(("start", "stop", "step", "axes"))),
        layer(6, "cut", "Slice", 8, inputs=ports, outputs=port(5, "FP32", *left)),
        tail,
        out,
        edges="0.0>1.0 1.1>6.0 2.0>6.1 3.0>6.2 4.0>6.3 5.0>6.4 "
        + ("1.1>7.0 6.5>7.1 7.2>8.0" if added else "6.5>7.0 7.1>8.0"),
    )
    return text, lists([start], [stop], [1], [axis])


def positions(dims: Sequence[int], stop: int) -> tuple[str, bytes]:
    """Return a table of 16 positions, sliced to ``stop``, converted and added to a ReLU of an input of these dims."""
    length = min(stop, 16)
    ports = port(0, "I64", 16) + "".join(port(id, "I64", 1) for id in range(1, 4))
    text = net(
        parameter(*dims),
        relu(*dims),
        *(constant(2 + at, name, 1, at) for at, name in enumerate(("start", "stop", "step"))),
        constant(5, "table", 16, 3),
        layer(6, "cut", "Slice", 8, inputs=ports, outputs=port(4, "I64", length)),
        layer(
            7,
            "floats",
            "Convert",
            1,
            'destination_type="f32"',
            port(0, "I64", length),
            port(1, "FP32", length),
        ),
        layer(
            8,
            "sum",
            "Add",
            1,
            inputs=port(0, "FP32", *dims) + port(1, "FP32", length),
            outputs=port(2, "FP32", *dims[:-1], length),
        ),
        layer(9, "y", "Result", 1, inputs=port(0, "FP32", *dims[:-1], length)),
        edges="0.0>1.0 5.0>6.0 2.0>6.1 3.0>6.2 4.0>6.3 6.4>7.0 1.1>8.0 7.1>8.1 8.2>9.0",
    )
    return text, lists([0], [stop], [1], list(range(16)))


def test_a_shape_as_the_end_of_a_slice(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, *strided([-1, 3, 8], [2, 3, 4], [-1, 3, 4], "0,0,0"))
    assert told([found]) == [
        ("IR406", "warning", "the constant end [2,3,4] cuts axis 0 to 2, where x[0] arrives"),
    ]
    assert found.port == "2"
    assert found.notes == (
        "input 0: f32[?,3,8]",
        'x[0] is a dynamic dim of "x" through "act"',
        'a ShapeOf of "act" has the size',
    )


def test_an_end_of_one_in_a_list_that_was_a_shape(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *strided([-1, 3, 8], [1, 3, 8], [-1, 3, 8], "0,0,0"))) == [
        ("IR406", "warning", "the constant end [1,3,8] cuts axis 0 to 1, where x[0] arrives"),
    ]


@pytest.mark.parametrize(
    ("end", "left", "mask"),
    [([2, 3, 4], [-1, 3, 4], "1,0,0"), ([1, 9, 4], [-1, 3, 4], "0,1,0"), ([2**31 - 1, 3, 4], [-1, 3, 4], "0,0,0")],
    ids=["masked", "the first of an axis", "to the end"],
)
def test_slices_that_take_any_size(end: list[int], left: list[int], mask: str, tmp_path: Path) -> None:
    assert told(findings(tmp_path, *strided([-1, 3, 8], end, left, mask))) == []


def test_a_cut_may_be_meant(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *sliced([-1, 3], 0, 0, 16))) == [
        ("IR406", "info", "the constant stop [16] cuts axis 0 to 16, where x[0] arrives"),
    ]


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, -1), (1, 2**40)])
def test_cuts_that_hold_no_size(start: int, stop: int, tmp_path: Path) -> None:
    assert told(findings(tmp_path, *sliced([-1, 3], 0, start, stop))) == []


def test_a_part_that_is_added_to_the_whole(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *sliced([-1, 3], 0, 0, 16, added=True))) == [
        ("IR406", "warning", "the constant stop [16] fits only where x[0] is at most 16"),
    ]


def test_a_part_of_a_table_that_is_added_to_what_is_open(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, *positions([2, -1], 5))
    assert told([found]) == [("IR406", "warning", "the constant stop [5] fits only where x[1] is 1 or 5")]
    assert found.layer is not None
    assert (found.layer.name, found.port) == ("cut", "2")
    assert found.notes[1:] == ('x[1] is a dynamic dim of "x" through "act"', 'a ShapeOf of "act" has the size')


def test_a_part_of_a_table_where_the_size_is_fixed(tmp_path: Path) -> None:
    assert told(findings(tmp_path, *positions([2, 5], 5))) == []
