from __future__ import annotations

from tests.cases import Case, Invalid, f32, i32, i64

_SIGNAL = f32([1, 2, 3, 4, 5])
_FRAMES = [[[3, 0], [-1, 0]], [[7, 0], [-1, 0]]]
"""Sums and differences of the frames 1, 2 and 3, 4."""
_SWAPPED = [[[3, 0], [7, 0]], [[-1, 0], [-1, 0]]]
_LAYOUT = {"transpose_frames": False}

CASES = [
    Case("STFT", 15, [_SIGNAL, f32([1, 1]), i64(2), i64(2)], [f32(_FRAMES)], _LAYOUT, name="frames first"),
    Case(
        "STFT",
        15,
        [_SIGNAL, f32([1, 1]), i32(2), i32(2)],
        [f32(_SWAPPED)],
        {"transpose_frames": True},
        name="frequencies first",
    ),
    Case(
        "STFT",
        15,
        [f32([[1, 2, 3, 4], [0, 1, 0, 0]]), f32([1, 1]), i64(2), i64(2)],
        [f32([_FRAMES, [[[1, 0], [-1, 0]], [[0, 0], [0, 0]]]])],
        _LAYOUT,
        name="batch",
    ),
    Case(
        "STFT",
        15,
        [_SIGNAL, f32([2]), i64(3), i64(1)],
        [f32([[[4, 0], [-2, -2 * 3**0.5]], [[6, 0], [-3, -3 * 3**0.5]], [[8, 0], [-4, -4 * 3**0.5]]])],
        _LAYOUT,
        name="window of 1 in the middle of a frame of 3",
    ),
]
INVALID = [
    Invalid(
        "STFT",
        15,
        [_SIGNAL, f32([1, 1, 1]), i64(2), i64(2)],
        "the window has 3 samples, expected 1 to 2",
        _LAYOUT,
        input=1,
    ),
    Invalid(
        "STFT",
        15,
        [_SIGNAL, f32([1]), i64(6), i64(2)],
        "frames of 6 samples do not fit into a signal of 5",
        _LAYOUT,
        input=2,
    ),
    Invalid("STFT", 15, [_SIGNAL, f32([1]), i64(2), i64(0)], "frame_step is 0, expected 1 or more", _LAYOUT, input=3),
    Invalid("STFT", 15, ["f32[1,2,3]", f32([1]), i64(2), i64(1)], "has rank 3, expected 1 or 2", _LAYOUT, input=0),
    Invalid("STFT", 15, [_SIGNAL, f32([1]), i64([2]), i64(1)], "has rank 1, expected 0", _LAYOUT, input=2),
]
