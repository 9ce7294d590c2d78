"""Files of a few bytes that ask for huge tensors: one finding, without allocating the memory."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest

from irrun.linter import lint
from tests.linter.models import ITERATOR
from tests.linter.rules.support import layer, net, port

MOST_BYTES = 32 << 20

X = layer(0, "x", "Parameter", 1, 'shape="2,3" element_type="f32"', outputs=port(0, "FP32", 2, 3))


def result(precision: str, *dims: int) -> str:
    return layer(9, "y", "Result", 1, inputs=port(0, precision, *dims))


def number(id: int, place: int) -> str:
    data = f'element_type="i64" shape="" offset="{8 * place}" size="8"'
    return layer(id, f"c{id}", "Const", 1, data, outputs=port(0, "I64"))


def numbers(id: int, count: int) -> str:
    data = f'element_type="i64" shape="{count}" offset="0" size="{8 * count}"'
    return layer(id, f"c{id}", "Const", 1, data, outputs=port(0, "I64", count))


def counted(stop: int) -> tuple[str, bytes]:
    ports = "".join(port(id, "I64") for id in range(3))
    range_ = layer(4, "r", "Range", 4, 'output_type="i64"', ports, port(3, "I64", stop))
    text = net(
        *(number(1 + at, at) for at in range(3)),
        range_,
        result("I64", stop),
        edges="1.0>4.0 2.0>4.1 3.0>4.2 4.3>9.0",
    )
    return text, struct.pack("<3q", 0, stop, 1)


def tiled(times: int) -> tuple[str, bytes]:
    left = 2 * times, 3 * times
    tile = layer(2, "t", "Tile", 1, "", port(0, "FP32", 2, 3) + port(1, "I64", 2), port(2, "FP32", *left))
    text = net(X, numbers(1, 2), tile, result("FP32", *left), edges="0.0>2.0 1.0>2.1 2.2>9.0")
    return text, struct.pack("<2q", times, times)


def padded(pads: int) -> tuple[str, bytes]:
    left = 2 + 2 * pads, 3 + 2 * pads
    ports = port(0, "FP32", 2, 3) + port(1, "I64", 2) + port(2, "I64", 2)
    pad = layer(2, "p", "Pad", 1, 'pad_mode="edge"', ports, port(3, "FP32", *left))
    text = net(X, numbers(1, 2), pad, result("FP32", *left), edges="0.0>2.0 1.0>2.1 1.0>2.2 2.3>9.0")
    return text, struct.pack("<2q", pads, pads)


def unit(size: int) -> tuple[str, bytes]:
    ports = "".join(port(id, "I64") for id in range(3))
    eye = layer(4, "e", "Eye", 9, 'output_type="f32"', ports, port(3, "FP32", size, size))
    edges = "1.0>4.0 1.0>4.1 2.0>4.2 4.3>9.0"
    return net(number(1, 0), number(2, 1), eye, result("FP32", size, size), edges=edges), struct.pack("<2q", size, 0)


def shaped(*dims: int) -> tuple[str, bytes]:
    text = ",".join(map(str, dims))
    x = layer(0, "x", "Parameter", 1, f'shape="{text}" element_type="f32"', outputs=port(0, "FP32", *dims))
    return net(x, result("FP32", *dims), edges="0.0>9.0"), b""


def stored(size: int, *dims: int) -> tuple[str, bytes]:
    data = f'element_type="f32" shape="{",".join(map(str, dims))}" offset="0" size="{size}"'
    constant = layer(1, "c", "Const", 1, data, outputs=port(0, "FP32", *dims))
    return net(constant, result("FP32", *dims), edges="1.0>9.0"), bytes(16)


FILES = {
    "a Range of 300 M": (counted(3 * 10**8), "IR904"),
    "a Range of 10^15": (counted(10**15), "IR902"),
    "a Tile beyond 64 bits": (tiled(1 << 40), "IR902"),
    "a Pad beyond 64 bits": (padded(10**9), "IR902"),
    "an Eye of 37 GiB": (unit(10**5), "IR904"),
    "a Parameter of 10^12": (shaped(10**12, 3), "IR902"),
    "a Parameter beyond 64 bits": (shaped(1 << 62, 4), "IR902"),
    "a dim beyond 64 bits": (shaped(1 << 64), "IR305"),
    "a Const whose elements overflow": (stored(16, 4194304, 4194304, 4194304), "IR503"),
    "a Const of 2^62 elements": (stored(0, 1 << 62), "IR503"),
    "a Const beyond its file": (stored(1 << 42, 1 << 40), "IR502"),
    "a port map to a Parameter that there is not": (
        (ITERATOR.replace('internal_layer_id="1"', 'internal_layer_id="1000000"'), b""),
        "IR207",
    ),
    "a port map to an output that there is not": (
        (ITERATOR.replace('external_port_id="1"', 'external_port_id="4294967295"'), b""),
        "IR207",
    ),
}


@pytest.mark.parametrize(("file", "code"), FILES.values(), ids=FILES)
def test_one_finding_within_little_memory(file: tuple[str, bytes], code: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(file[0], encoding="utf-8")
    path.with_suffix(".bin").write_bytes(file[1])
    tracemalloc.start()
    report = lint(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [item.code for item in report] == [code], [item.message for item in report]
    assert peak < MOST_BYTES
