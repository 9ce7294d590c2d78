from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irrun.tensor.strings import pack_strings, unpack_strings


def stored(*words: int, characters: bytes = b"") -> bytes:
    return struct.pack(f"<{len(words)}I", *words) + characters


def objects(*strings: str) -> np.ndarray:
    array = np.empty(len(strings), object)
    array[:] = strings
    return array


LAYOUTS = [
    (stored(0, 0), []),
    (stored(1, 0, 0), [""]),
    (stored(3, 0, 2, 2, 5, characters=b"abcde"), ["ab", "", "cde"]),
    (stored(2, 0, 7, 8, characters="żółw!".encode()), ["żółw", "!"]),
    (stored(1, 0, 4, characters=b"a\x00\n\x00"), ["a\x00\n\x00"]),
    (stored(2, 0, 2, 3, characters=b"\xffa\xc5"), ["\udcffa", "\udcc5"]),
]


@pytest.mark.parametrize(("data", "strings"), LAYOUTS)
def test_layout(data: bytes, strings: list[str]) -> None:
    unpacked = unpack_strings(data)
    assert unpacked.dtype == object
    assert unpacked.shape == (len(strings),)
    assert unpacked.tolist() == strings
    assert pack_strings(objects(*strings)) == data


@given(st.lists(st.text()))
def test_any_strings_come_back(strings: list[str]) -> None:
    assert unpack_strings(pack_strings(objects(*strings))).tolist() == strings


@given(st.lists(st.binary(), max_size=5))
def test_any_bytes_come_back(parts: list[bytes]) -> None:
    offsets = [sum(map(len, parts[:index])) for index in range(len(parts) + 1)]
    data = stored(len(parts), *offsets, characters=b"".join(parts))
    assert pack_strings(unpack_strings(data)) == data


def test_pack_takes_row_major_order_and_arrays_of_unicode() -> None:
    grid = np.array([["a", "b"], ["c", "d"]])
    assert pack_strings(grid.T) == stored(4, 0, 1, 2, 3, 4, characters=b"acbd")
    assert pack_strings(np.array("ab", object)) == stored(1, 0, 2, characters=b"ab")


def test_data_may_begin_anywhere_and_end_later() -> None:
    data = np.frombuffer(b"?" + stored(1, 0, 2, characters=b"abc"), np.uint8)
    assert unpack_strings(data[1:]).tolist() == ["ab"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "string data is truncated: 0 bytes, expected at least 4 for the number of strings"),
        (b"\x01\x00\x00", "string data is truncated: 3 bytes, expected at least 4 for the number of strings"),
        (stored(0), "string data is truncated: 4 bytes, expected at least 8 for the offsets of 0 strings"),
        (stored(2, 0, 0), "string data is truncated: 12 bytes, expected at least 16 for the offsets of 2 strings"),
        (
            stored(0xFFFFFFFF, 0),
            "string data is truncated: 8 bytes, expected at least 17179869188 for the offsets of 4294967295 strings",
        ),
        (stored(1, 1, 2, characters=b"ab"), "string offset 0 is 1, expected 0"),
        (stored(2, 0, 2, 1, characters=b"ab"), "string offset 2 is 1, expected at least 2, the offset before it"),
        (stored(2, 0, 1, 3, characters=b"ab"), "string offset 2 is 3, expected at most 2, the bytes of characters"),
        (
            stored(2, 0, 0xFFFFFFFF, 0, characters=b"ab"),
            "string offset 1 is 4294967295, expected at most 2, the bytes of characters",
        ),
    ],
)
def test_malformed_data_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        unpack_strings(data)


def test_only_str_is_packed() -> None:
    with pytest.raises(TypeError, match="string tensors hold str, got bytes"):
        pack_strings(np.array(["a", b"b"], object))


def test_strings_that_need_more_than_the_offsets_can_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.tensor.strings._WORD", np.dtype(np.uint8))
    assert pack_strings(np.array(["a" * 255], object))[:3] == bytes([1, 0, 255])
    with pytest.raises(ValueError, match="the strings take 256 bytes"):
        pack_strings(np.array(["a" * 256], object))
