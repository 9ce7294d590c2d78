from __future__ import annotations

import itertools
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irrun.tensor.packing import storage_size, unpack
from irrun.tensor.storing import pack

CARRIED = {
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
}
CARRIERS: dict[str, Any] = {
    **CARRIED,
    "boolean": np.bool_,
    **dict.fromkeys(("f16", "bf16", "f8e4m3", "f8e5m2", "f8e8m0", "nf4", "f4e2m1"), np.float32),
    **dict.fromkeys(("u1", "u2", "u3", "u4", "u6"), np.uint8),
    "i4": np.int8,
}
WHOLE_BYTES = (*CARRIED, "f16", "bf16", "f8e4m3", "f8e5m2", "f8e8m0")

LAYOUTS = [
    ("u1", "aa 40", [1, 0, 1, 0, 1, 0, 1, 0, 0, 1]),
    ("u2", "e4 01", [0, 1, 2, 3, 1]),
    ("u4", "21 f3 07", [1, 2, 3, 15, 7]),
    ("i4", "8f 70 0e", [-1, -8, 0, 7, -2]),
    ("nf4", "70 0f", [-1.0, 0.0, 1.0]),
    ("f4e2m1", "91 07", [0.5, -0.5, 6.0]),
    # low pairs 00 01 10 11 | 00 01 10 11, then the high bits of 0 to 3 and 4 to 7
    ("u3", "1b 1b 0f", [0, 1, 2, 3, 4, 5, 6, 7]),
    ("u3", "40 00 80 80 00 80", [5, 0, 0, 0, 0, 0, 0, 0, 6]),
    # low nibbles 1 2 | 3 f, then the high pairs 0 1 2 3
    ("u6", "12 3f 1b", [0x01, 0x12, 0x23, 0x3F]),
    ("u6", "12 3f 1b 50 00 80", [0x01, 0x12, 0x23, 0x3F, 0x25]),
    ("f8e4m3", "38 bc 7e", [1.0, -1.5, 448.0]),
    ("f8e5m2", "3c be 7b", [1.0, -1.5, 57344.0]),
    ("f8e8m0", "7f 80 7d", [1.0, 2.0, 0.25]),
    ("f16", "003c 00c0 007c", [1.0, -2.0, np.inf]),
    ("bf16", "803f 00c0 807f", [1.0, -2.0, np.inf]),
    ("f32", "0000803f 000000c0", [1.0, -2.0]),
    ("f64", "000000000000f03f", [1.0]),
    ("i16", "0102 ffff", [0x0201, -1]),
    ("u16", "0102 ffff", [0x0201, 0xFFFF]),
    ("i64", "0100000000000080", [-(2**63) + 1]),
    ("u64", "0100000000000080", [2**63 + 1]),
    ("boolean", "00 01 01", [False, True, True]),
]


@pytest.mark.parametrize(("element_type", "stored", "values"), LAYOUTS)
def test_layout(element_type: str, stored: str, values: list[Any]) -> None:
    unpacked = unpack(bytes.fromhex(stored), element_type, len(values))
    assert unpacked.dtype == CARRIERS[element_type]
    assert unpacked.tolist() == values
    assert pack(unpacked, element_type) == bytes.fromhex(stored)
    assert storage_size(element_type, len(values)) == len(bytes.fromhex(stored))


@pytest.mark.parametrize(
    ("element_type", "sizes"),
    [
        ("u1", {0: 0, 1: 1, 8: 1, 9: 2}),
        ("u2", {0: 0, 1: 1, 4: 1, 5: 2, 15: 4}),
        ("u3", {0: 0, 1: 3, 8: 3, 9: 6, 15: 6}),
        ("u4", {0: 0, 1: 1, 2: 1, 3: 2}),
        ("u6", {0: 0, 1: 3, 4: 3, 5: 6, 15: 12}),
        ("nf4", {1: 1, 15: 8}),
        ("boolean", {0: 0, 7: 7}),
        ("bf16", {7: 14}),
        ("f64", {7: 56}),
        ("i32", {2**62: 2**64}),
    ],
)
def test_storage_size(element_type: str, sizes: dict[int, int]) -> None:
    assert {count: storage_size(element_type, count) for count in sizes} == sizes


@pytest.mark.parametrize("element_type", CARRIERS)
def test_packing_inverts_unpacking_at_any_offset(element_type: str, subtests: pytest.Subtests) -> None:
    for offset, count in itertools.product([0, 1, 3], [1, 2, 7, 8, 9, 1001]):
        codes = np.random.default_rng(count).integers(0, 0x38, offset + storage_size(element_type, count), np.uint8)
        if element_type == "boolean":
            codes %= 2
        with subtests.test(offset=offset, count=count):
            values = unpack(codes[offset:], element_type, count)
            assert values.dtype == CARRIERS[element_type]
            assert values.shape == (count,)
            assert values.flags.aligned
            packed = pack(values, element_type)
            assert len(packed) == storage_size(element_type, count)
            np.testing.assert_array_equal(unpack(packed, element_type, count), values)
            if element_type in WHOLE_BYTES:
                assert packed == codes[offset:].tobytes()


@given(st.binary(max_size=30), st.sampled_from(["u1", "u2", "u3", "u4", "u6", "i4", "f4e2m1", "nf4"]))
def test_whole_groups_come_back_as_they_were(data: bytes, element_type: str) -> None:
    group = {"u1": 8, "u2": 4, "u3": 8, "u6": 4}.get(element_type, 2)
    size = 3 if element_type in ("u3", "u6") else 1
    whole = data[: len(data) // size * size]
    assert pack(unpack(whole, element_type, len(whole) // size * group), element_type) == whole


@pytest.mark.parametrize("element_type", CARRIED)
def test_stored_as_carried_is_a_view(element_type: str) -> None:
    data = np.zeros(64, np.uint8)
    values = unpack(data, element_type, 2)
    assert np.shares_memory(values, data)
    data[0] = 1
    assert values[0] != 0


def test_a_view_keeps_read_only_memory_read_only() -> None:
    assert not unpack(bytes(8), "f32", 2).flags.writeable


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview])
def test_buffers_of_any_kind(wrap: Any) -> None:
    assert unpack(wrap(b"\x21\x43"), "u4", 3).tolist() == [1, 2, 3]


def test_memory_mapped_files(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(bytes.fromhex("ff 0000803f 000000c0"))
    mapped = np.memmap(path, np.uint8, "r")
    values = unpack(mapped[1:], "f32", 2)
    assert type(values) is np.ndarray
    assert values.tolist() == [1.0, -2.0]
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        assert unpack(whole, "u8", 2).tolist() == [0xFF, 0]


def test_boolean_is_a_view_of_zeros_and_ones() -> None:
    data = np.array([0, 1, 1], np.uint8)
    assert np.shares_memory(unpack(data, "boolean", 3), data)


def test_any_byte_but_zero_is_true() -> None:
    values = unpack(b"\x00\x01\x02\xff", "boolean", 4)
    assert values.tolist() == [False, True, True, True]
    assert values.view(np.uint8).tolist() == [0, 1, 1, 1]
    assert unpack(b"\x00\x01\x02", "boolean", 3).view(np.uint8).tolist() == [0, 1, 1]


@pytest.mark.parametrize("element_type", CARRIERS)
def test_no_values(element_type: str) -> None:
    for data in (b"", b"\x00"):
        values = unpack(data, element_type, 0)
        assert values.shape == (0,)
        assert values.dtype == CARRIERS[element_type]
    assert pack(np.zeros((3, 0), CARRIERS[element_type]), element_type) == b""


def test_what_follows_the_last_value_is_ignored() -> None:
    assert unpack(b"\x01\x00\x02\x00\xff", "i16", 2).tolist() == [1, 2]
    assert unpack(b"\xf1\xff", "u4", 1).tolist() == [1]


def test_pack_takes_row_major_order_and_scalars() -> None:
    assert pack(np.array([[1, 2], [3, 4]], np.uint8).T, "u4") == b"\x31\x42"
    assert pack(np.array(1.0, np.float32), "f16") == b"\x00\x3c"


def test_pack_rounds_to_the_type() -> None:
    assert pack(np.array([1 + 2**-8 + 2**-40]), "bf16") == b"\x81\x3f"
    assert pack(np.array([1e300]), "f32") == b"\x00\x00\x80\x7f"
    assert pack(np.array([2.0, 0.0]), "boolean") == b"\x01\x00"
    assert pack(np.array([300, -1]), "u8") == b"\x2c\xff"
    assert pack(np.array([17, -1]), "u4") == b"\xf1"


@pytest.mark.parametrize("element_type", ["i8", "u64", "i4", "u3"])
def test_pack_does_not_truncate_floats(element_type: str) -> None:
    with pytest.raises(TypeError, match=f"{element_type} takes integers, got float64"):
        pack(np.array([1.5]), element_type)


@pytest.mark.parametrize(
    ("element_type", "size", "count", "message"),
    [
        ("f32", 7, 2, "2 f32 values in 7 bytes, expected at least 8 bytes"),
        ("u3", 5, 9, "9 u3 values in 5 bytes, expected at least 6 bytes"),
        ("f32", 16, 2**62, f"{2**62} f32 values in 16 bytes, expected at least {2**64} bytes"),
        ("u4", 1, -1, "the number of u4 values is -1, expected 0 or more"),
        ("string", 8, 0, "string values have no fixed size"),
        ("f7", 8, 1, 'no element type "f7"'),
    ],
)
def test_unpack_refuses(element_type: str, size: int, count: int, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        unpack(bytes(size), element_type, count)


def test_storage_size_and_pack_refuse_string_and_unknown_types() -> None:
    with pytest.raises(ValueError, match="string values have no fixed size"):
        storage_size("string", 1)
    with pytest.raises(ValueError, match="string values have no fixed size"):
        pack(np.array(["a"], object), "string")
    with pytest.raises(ValueError, match='no element type "f7"'):
        pack(np.zeros(1), "f7")
