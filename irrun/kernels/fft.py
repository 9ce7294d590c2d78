"""Discrete Fourier transforms. Complex numbers are pairs of floats along a last axis of size 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irrun.kernels.threads import Array


def to_complex(pairs: Array) -> Array:
    """View [..., 2] as complex numbers [...]."""
    kind = np.complex128 if pairs.dtype == np.float64 else np.complex64
    return np.ascontiguousarray(pairs).view(kind)[..., 0]


def to_pairs(values: Array) -> Array:
    """View complex numbers [...] as [..., 2]."""
    contiguous = np.ascontiguousarray(values)
    return contiguous.view(contiguous.real.dtype).reshape(*values.shape, 2)


def dft(pairs: Array, axes: Sequence[int], sizes: Sequence[int], *, inverse: bool) -> Array:
    """Transform complex data over ``axes``, each truncated or zero-padded at its end to its size."""
    return to_pairs(_transform(to_complex(pairs), axes, sizes, np.fft.ifft if inverse else np.fft.fft))


def rdft(data: Array, axes: Sequence[int], sizes: Sequence[int]) -> Array:
    """Transform real data; along the last of ``axes`` only the first size // 2 + 1 frequencies are returned."""
    if not axes:
        return np.stack([data, np.zeros_like(data)], axis=-1)
    if sizes[-1] == 0:
        values = _zeros(data, axes[-1], 1).astype(np.result_type(data.dtype, np.complex64))
    else:
        values = np.fft.rfft(data, sizes[-1], axes[-1])
    return to_pairs(_transform(values, axes[:-1], sizes[:-1], np.fft.fft))


def irdft(pairs: Array, axes: Sequence[int], sizes: Sequence[int]) -> Array:
    """Compute the inverse of ``rdft``; the data are symmetric along the last of ``axes``, and half of them is given."""
    if not axes:
        return pairs[..., 0]
    values = _transform(to_complex(pairs), axes[:-1], sizes[:-1], np.fft.ifft)
    if sizes[-1] == 0 or not values.size:
        return _zeros(values.real, axes[-1], sizes[-1])
    return np.asarray(np.fft.irfft(values, sizes[-1], axes[-1]))


def _transform(values: Array, axes: Sequence[int], sizes: Sequence[int], function: Callable[..., Array]) -> Array:
    for axis, size in zip(axes, sizes, strict=True):
        values = function(values, size, axis) if size > 0 else _zeros(values, axis, size)
    return values


def _zeros(values: Array, axis: int, size: int) -> Array:
    return np.zeros((*values.shape[:axis], size, *values.shape[axis + 1 :]), values.dtype)


def _centred(window: Array, frame_size: int) -> Array:
    """Return the window, zero-padded on both sides to the length of a frame."""
    left = (frame_size - window.shape[0]) // 2
    return np.pad(window, (left, frame_size - window.shape[0] - left))


def stft(signal: Array, window: Array, frame_size: int, frame_step: int) -> Array:
    """Return the transforms [..., frames, frame_size // 2 + 1, 2] of windowed frames of [..., samples]."""
    frames = np.lib.stride_tricks.sliding_window_view(signal, frame_size, axis=-1)[..., ::frame_step, :]
    return to_pairs(np.fft.rfft(frames * _centred(window, frame_size)))


def istft(
    pairs: Array, window: Array, frame_size: int, frame_step: int, length: int | None, *, center: bool, normalized: bool
) -> Array:
    """Return the signal [..., samples] whose frames have the transforms [..., frame_size // 2 + 1, frames, 2].

    Frames are windowed, summed where they overlap, and divided by the sum of their squared windows. With ``center``,
    half a frame is cropped at both ends. Samples outside all windows, and those after the end, are zero.
    """
    padded = _centred(window, frame_size)
    frames = np.fft.irfft(np.swapaxes(to_complex(pairs), -1, -2), frame_size) * padded
    count = frames.shape[-2]
    total = (count - 1) * frame_step + frame_size
    signal = np.zeros((*frames.shape[:-2], total), frames.dtype)
    weight = np.zeros(total, frames.dtype)
    for index in range(count):
        part = slice(index * frame_step, index * frame_step + frame_size)
        signal[..., part] += frames[..., index, :]
        weight[part] += padded**2
    if normalized:
        signal *= frames.dtype.type(np.sqrt(frame_size))
    signal = np.where(weight != 0, signal / np.where(weight != 0, weight, 1), 0)
    margin = frame_size // 2 if center else 0
    wanted = length if length is not None else total - frame_size if center else total
    signal = signal[..., margin : margin + wanted]
    missing = wanted - signal.shape[-1]
    return np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, missing)]) if missing > 0 else signal
