from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from irrun.tensor.element_type import BF16, F16, I4, NF4, U4, ElementType
from irrun.tensor.rounding import decode, encode, lowest, round_to

INF, NAN = math.inf, math.nan

CODES = {
    "f16": (np.uint16, 1 << 16),
    "bf16": (np.uint16, 1 << 16),
    "f8e4m3": (np.uint8, 256),
    "f8e5m2": (np.uint8, 256),
    "f8e8m0": (np.uint8, 256),
    "nf4": (np.uint8, 16),
    "f4e2m1": (np.uint8, 16),
    "u1": (np.uint8, 2),
    "u2": (np.uint8, 4),
    "u3": (np.uint8, 8),
    "u4": (np.uint8, 16),
    "u6": (np.uint8, 64),
    "i4": (np.uint8, 16),
}
FLOATS = ("f16", "bf16", "f8e4m3", "f8e5m2", "f8e8m0", "nf4", "f4e2m1")
UNROUNDED = ("f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "boolean", "string")
LARGEST = {"f16": 65504.0, "bf16": 255 * 2.0**120, "f8e4m3": 448.0, "f8e5m2": 57344.0, "f8e8m0": 2.0**127}


def all_codes(element_type: str) -> NDArray[Any]:
    dtype, count = CODES[element_type]
    return np.arange(count).astype(dtype)


def singles(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def assert_same_bits(actual: NDArray[Any], expected: NDArray[Any]) -> None:
    """Assert equality, including the signs of zeros; any NaN equals any NaN."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(np.signbit(actual[numbers]), np.signbit(expected[numbers]))


@cache
def points(element_type: str) -> list[tuple[Fraction, int]]:
    """Return the finite points of the grid in ascending order, each with its code; +0 stands for both zeros."""
    codes = all_codes(element_type)
    values = decode(codes, element_type).tolist()
    found: dict[Fraction, int] = {}
    for value, code in zip(values, codes.tolist(), strict=True):
        if math.isfinite(value):
            found.setdefault(Fraction(value), code)
    return sorted(found.items())


def nearest(value: float, element_type: str) -> float:
    """Return the point of the grid nearest to a finite value, from exact distances to its two neighbours."""
    grid, exact = points(element_type), Fraction(value)
    above = min(bisect_left(grid, (exact, -1)), len(grid) - 1)
    below = max(above - 1, 0)
    (upper, code), (lower, _) = grid[above], grid[below]
    if abs(upper - exact) != abs(exact - lower):
        return float(min(upper, lower, key=lambda point: abs(point - exact)))
    return float(upper if code % 2 == 0 and element_type != "nf4" else lower)


def neighbours(element_type: str) -> NDArray[np.float32]:
    """Return every finite point of the grid, every midpoint, and the float32 just below and above each."""
    points = np.unique(decode(all_codes(element_type), element_type).astype(np.float64))
    points = points[np.isfinite(points)]
    centres = np.concatenate([points, (points[:-1] + points[1:]) / 2]).astype(np.float32)
    return np.concatenate([centres, np.nextafter(centres, np.float32(-INF)), np.nextafter(centres, np.float32(INF))])


@pytest.mark.parametrize("element_type", UNROUNDED)
def test_a_type_that_is_its_own_carrier_is_left_alone(element_type: str) -> None:
    values = np.array([1, 0, 1])
    assert round_to(values, element_type) is values


@pytest.mark.parametrize("element_type", CODES)
def test_encoding_inverts_decoding(element_type: str) -> None:
    codes = all_codes(element_type)
    values = decode(codes, element_type)
    numbers = ~np.isnan(values)
    encoded = encode(values, element_type)
    assert encoded.dtype == codes.dtype
    np.testing.assert_array_equal(encoded[numbers], codes[numbers])
    assert np.isnan(decode(encoded[~numbers], element_type)).all()


def test_f8e5m2_is_the_upper_byte_of_f16() -> None:
    codes = all_codes("f8e5m2")
    halves = codes.astype(np.uint16) << np.uint16(8)
    assert_same_bits(decode(codes, "f8e5m2"), decode(halves, "f16"))


def test_f8e4m3_values() -> None:
    magnitudes = [mantissa * 2**-9 for mantissa in range(8)]
    magnitudes += [(8 + mantissa) * 2 ** (exponent - 10) for exponent in range(1, 16) for mantissa in range(8)]
    assert magnitudes[126:] == [448, 480]
    magnitudes[127] = NAN
    assert_same_bits(decode(all_codes("f8e4m3"), "f8e4m3"), singles(*magnitudes, *(-value for value in magnitudes)))


@pytest.mark.parametrize("element_type", CODES)
def test_points_of_the_grid_stay(element_type: str) -> None:
    values = decode(all_codes(element_type), element_type)
    assert_same_bits(round_to(values, element_type), values)


@pytest.mark.parametrize("element_type", ["f8e4m3", "f8e5m2", "f8e8m0", "nf4", "f4e2m1"])
def test_around_every_point_and_midpoint_the_nearest_is_taken(element_type: str) -> None:
    values = neighbours(element_type)
    largest = LARGEST.get(element_type, INF)
    values = values[np.abs(values) <= largest]
    if element_type == "f8e8m0":
        values = values[values >= 0]
    expected = np.array([nearest(float(value), element_type) for value in values], np.float32)
    np.testing.assert_array_equal(round_to(values, element_type), expected)


@pytest.mark.parametrize(
    ("element_type", "values", "expected"),
    [
        # between 1 and its successors 1 + 2^-10, 1 + 2^-9, then around half the least subnormal 2^-24
        ("f16", [1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-20], [1.0, 1 + 2**-9, 1 + 2**-10]),
        ("f16", [2**-25, 2**-25 * 1.5, -(2**-26)], [0.0, 2**-24, -0.0]),
        ("f16", [65504, 65519.996, 65520, -1e30, INF], [65504, 65504, INF, -INF, INF]),
        ("bf16", [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20], [1.0, 1 + 2**-6, 1 + 2**-7]),
        ("bf16", [3.396e38, 3.3961776e38, -3.4028235e38, -INF], [255 * 2**120, INF, -INF, -INF]),
        ("f8e4m3", [3.0625, 3.125, 3.375, 3.3750002], [3.0, 3.0, 3.5, 3.5]),
        ("f8e4m3", [2**-10, 3 * 2**-10, 2**-10 * 1.0001, -(2**-11)], [0.0, 2**-8, 2**-9, -0.0]),
        ("f8e4m3", [448, 464, 464.00003, -480, INF, -INF], [448, 448, NAN, NAN, NAN, NAN]),
        ("f8e5m2", [1.125, 1.375, 1.1250001, 2**-17, 3 * 2**-17], [1.0, 1.5, 1.25, 0.0, 2**-15]),
        ("f8e5m2", [57344, 61439.996, 61440, -1e9, INF, -INF], [57344, 57344, INF, -INF, INF, -INF]),
        ("f8e8m0", [1.5, 3.0, 1.4999999, 6.0000005], [2.0, 2.0, 1.0, 8.0]),
        ("f8e8m0", [0, -0.0, -3, -INF, 1e-45, INF, 3e38], [2**-127] * 5 + [2**127] * 2),
        ("f4e2m1", [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, -0.25], [0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, -0.0]),
        ("f4e2m1", [0.26, 5.0000005, 7, INF, -1e9], [0.5, 6.0, 6.0, 6.0, -6.0]),
        ("nf4", [0.0, 0.03979015, 0.03979016, -0.9, -0.84, 5, -INF], [0, 0, 0.0795803, -1, -0.6961928, 1, -1]),
    ],
)
def test_values(element_type: str, values: list[float], expected: list[float]) -> None:
    assert_same_bits(round_to(singles(*values), element_type), singles(*expected))


@pytest.mark.parametrize(
    ("element_type", "values", "codes"),
    [
        ("f16", [1, -2, 65504, INF, 2**-24], [0x3C00, 0xC000, 0x7BFF, 0x7C00, 0x0001]),
        ("bf16", [1, -2, INF, 2**-133, NAN], [0x3F80, 0xC000, 0x7F80, 0x0001, 0x7FC0]),
        ("f8e4m3", [0, -0.0, 2**-9, 2**-6, 1, -1.5, 448, NAN], [0x00, 0x80, 0x01, 0x08, 0x38, 0xBC, 0x7E, 0x7F]),
        ("f8e5m2", [2**-16, 2**-14, 1, -1.5, 57344, INF, NAN], [0x01, 0x04, 0x3C, 0xBE, 0x7B, 0x7C, 0x7E]),
        ("f8e8m0", [2**-127, 2**-126, 1, 2**127, NAN], [0x00, 0x01, 0x7F, 0xFE, 0xFF]),
        ("f4e2m1", [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -6], [0, 1, 2, 3, 4, 5, 6, 7, 9, 15]),
        ("nf4", [-1, -0.6961928, 0, 0.0795803, 1, NAN], [0, 1, 7, 8, 15, 0]),
    ],
)
def test_codes(element_type: str, values: list[float], codes: list[int]) -> None:
    np.testing.assert_array_equal(encode(singles(*values), element_type), codes)


@pytest.mark.parametrize("element_type", ["f16", "bf16", "f8e4m3", "f8e5m2", "f8e8m0"])
def test_every_kind_of_nan_stays_nan(element_type: str) -> None:
    nans = np.array([0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0xFF800001, 0xFFFFFFFF], np.uint32).view(np.float32)
    assert np.isnan(round_to(nans, element_type)).all()


def test_nan_in_types_without_it() -> None:
    positive = np.array([0x7FC00000], np.uint32).view(np.float32)
    assert round_to(positive, "f4e2m1").tolist() == [6.0]
    assert round_to(-positive, "f4e2m1").tolist() == [-6.0]
    assert round_to(positive, "nf4").tolist() == [-1.0]


@pytest.mark.parametrize(
    ("element_type", "values", "expected"),
    [
        ("u1", [0, 1, 2, 255], [0, 1, 0, 1]),
        ("u2", [3, 4, 6, 255], [3, 0, 2, 3]),
        ("u3", [7, 8, 13, 255], [7, 0, 5, 7]),
        ("u4", [15, 16, 0x5A, 255], [15, 0, 10, 15]),
        ("u6", [63, 64, 130, 255], [63, 0, 2, 63]),
    ],
)
def test_unsigned_integers_wrap(element_type: str, values: list[int], expected: list[int]) -> None:
    rounded = round_to(np.array(values, np.uint8), element_type)
    assert rounded.dtype == np.uint8
    assert rounded.tolist() == expected


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_i4_wraps_with_its_sign(dtype: type[np.signedinteger[Any]]) -> None:
    rounded = round_to(np.array([-9, -8, -1, 0, 7, 8, 15, 16, -16, 127], dtype), "i4")
    assert rounded.dtype == np.int8
    assert rounded.tolist() == [7, -8, -1, 0, 7, -8, -1, 0, 0, -1]


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3)])
def test_shapes_are_kept(shape: tuple[int, ...], subtests: pytest.Subtests) -> None:
    for element_type in CODES:
        with subtests.test(type=element_type):
            assert_shape_is_kept(element_type, shape)


def assert_shape_is_kept(element_type: str, shape: tuple[int, ...]) -> None:
    values = np.ones(shape, np.float32 if element_type in FLOATS else np.int8)
    rounded = round_to(values, element_type)
    assert isinstance(rounded, np.ndarray)
    assert rounded.shape == encode(values, element_type).shape == shape
    assert (rounded == 1).all()


@pytest.mark.parametrize("element_type", FLOATS)
def test_strided_input_is_read_and_not_written(element_type: str) -> None:
    values = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
    strided = values[::2, ::-1].T
    strided.flags.writeable = False
    expected = round_to(np.ascontiguousarray(strided), element_type)
    np.testing.assert_array_equal(round_to(strided, element_type), expected)
    np.testing.assert_array_equal(values.reshape(-1), np.linspace(-3, 3, 24, dtype=np.float32))


@pytest.mark.parametrize(
    ("element_type", "value", "expected"),
    [
        ("f16", 1 + 2**-11 + 2**-40, 1 + 2**-10),
        ("f16", 1 + 3 * 2**-11 - 2**-40, 1 + 2**-10),
        ("f16", 1 + 2**-11, 1.0),
        ("bf16", 1 + 2**-8, 1.0),
        ("bf16", 1 + 2**-7, 1 + 2**-7),
        ("bf16", 1 + 2**-8 + 2**-40, 1 + 2**-7),
        ("bf16", 1 + 3 * 2**-8 - 2**-40, 1 + 2**-7),
        ("f8e4m3", 464 + 2**-30, NAN),
        ("f8e5m2", -(61440 - 2**-30), -57344.0),
        ("f8e8m0", 1e300, 2.0**127),
        ("f4e2m1", -(0.25 + 2**-50), -0.5),
        ("nf4", 0.03979014977812768, 0.07958029955625534),
        ("bf16", 1e300, INF),
        ("bf16", -1e-300, -0.0),
    ],
)
def test_float64_is_rounded_once(element_type: str, value: float, expected: float) -> None:
    assert_same_bits(round_to(np.array([value]), element_type), singles(expected))


@pytest.mark.parametrize("element_type", ["f8e4m3", "f8e5m2", "f8e8m0", "nf4", "f4e2m1"])
def test_float64_is_rounded_like_the_same_float32(element_type: str) -> None:
    """Points of the grid and ties between them are numbers of both types."""
    values = neighbours(element_type)
    assert_same_bits(round_to(values.astype(np.float64), element_type), round_to(values, element_type))


def test_integers_are_rounded_once() -> None:
    assert round_to(np.array([(1 << 30) + (1 << 22) + 1]), "bf16").tolist() == [2.0**30 + 2.0**23]


@pytest.mark.parametrize("element_type", ["bf16", "f16"])
@given(values=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_sixteen_bits_give_the_nearest(element_type: str, values: list[float]) -> None:
    rounded = round_to(singles(*values), element_type)
    codes = encode(singles(*values), element_type)
    for value, result, code in zip(values, rounded.tolist(), codes.tolist(), strict=True):
        if math.isinf(result):
            half_step = {"bf16": 2.0**119, "f16": 16.0}[element_type]
            assert abs(value) >= LARGEST[element_type] + half_step
            continue
        distance = abs(Fraction(result) - Fraction(value))
        for neighbour_code in (code - 1, code + 1):
            if not 0 <= neighbour_code < 1 << 16:
                continue
            neighbour = float(decode(np.array([neighbour_code], np.uint16), element_type)[0])
            if not math.isfinite(neighbour):
                continue
            other = abs(Fraction(neighbour) - Fraction(value))
            assert distance < other or (distance == other and code % 2 == 0)


@pytest.mark.parametrize("element_type", ["f8e4m3", "f8e5m2", "nf4", "f4e2m1"])
@given(values=st.lists(st.floats(min_value=-448, max_value=448), min_size=1, max_size=8))
def test_any_float64_goes_to_the_nearest(element_type: str, values: list[float]) -> None:
    expected = singles(*(nearest(value, element_type) for value in values))
    np.testing.assert_array_equal(round_to(np.array(values), element_type), expected)


@pytest.mark.parametrize(
    ("kind", "value"), [(F16, -65504), (BF16, -(2.0**128) + 2.0**120), (NF4, -1), (I4, -8), (U4, 0)]
)
def test_the_lowest_value_is_finite(kind: ElementType, value: float) -> None:
    assert lowest(kind) == value


def test_unknown_types_are_refused() -> None:
    with pytest.raises(ValueError, match='no bit codes for element type "f7"'):
        round_to(singles(1), "f7")
    with pytest.raises(ValueError, match='no bit codes for element type "f32"'):
        encode(singles(1), "f32")
    with pytest.raises(ValueError, match='no bit codes for element type "i8"'):
        decode(np.array([1], np.uint8), "i8")


def test_integer_types_take_integers_only() -> None:
    with pytest.raises(TypeError, match="u4 takes integers, got float32"):
        round_to(singles(1.5), "u4")
