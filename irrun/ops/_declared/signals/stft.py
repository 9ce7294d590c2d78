from __future__ import annotations

import numpy as np

from irrun.kernels.fft import stft
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.signals.fourier import INDEX
from irrun.ops.shapes import within
from irrun.tensor import UNBOUNDED
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("STFT", opset=15)
class STFT(Op):
    """Fourier transforms of overlapping windowed frames of a real signal.

    A window shorter than a frame is zero-padded on both sides.
    """

    departures = {"infinite": "returns NaN for more elements beside infinities"}
    inputs = (
        In("signal", T, "[samples] or [batch, samples]", rank=(1, 2)),
        In("window", T, "[size], at most a frame", rank=1),
        In("frame_size", INDEX, "samples in a frame", rank=0),
        In("frame_step", INDEX, "samples from one frame to the next", rank=0),
    )
    outputs = (Out("output", T, "[..., frames, frequencies, 2], or frames and frequencies swapped"),)

    transpose_frames: bool = attr(doc="whether frames come after frequencies", openvino=False)

    def infer(self, signal: Fact, window: Fact, frame_size: Fact, frame_step: Fact) -> Shape:
        size = positive(frame_size, "frame_size", 2)
        step = positive(frame_step, "frame_step", 3)
        check_window(window, size)
        if window.shape.dims is not None and not size.is_static:
            size = within(size, Dim(max(size.lo, window.shape[0].lo), size.hi))
        if signal.shape.dims is None:
            return Shape.unknown()
        samples = signal.shape[-1]
        if not size.is_static:
            size = within(size, Dim(size.lo, max(size.lo, samples.hi)))
        if samples.hi < size.lo:
            raise OpError(f"frames of {size} samples do not fit into a signal of {samples}", input=2)
        frequencies = size // 2 + 1
        frames = within(samples - size, Dim(0, UNBOUNDED)) // step + 1
        parts = (frequencies, frames) if self.transpose_frames else (frames, frequencies)
        return Shape([*signal.shape[:-1], *parts, 2])

    def run(self, signal: Array, window: Array, frame_size: Array, frame_step: Array) -> Array:
        result = stft(signal, window, int(frame_size), int(frame_step))
        return np.swapaxes(result, -2, -3) if self.transpose_frames else result


def positive(fact: Fact, name: str, index: int) -> Dim:
    """Return a number that must be at least 1; OpError where it is known to be less."""
    known = (fact.dims() or (Dim.anything(),))[0]
    if known.hi < 1:
        raise OpError(f"{name} is {known}, expected 1 or more", input=index)
    return known.merge(Dim(1, max(known.hi, 1))) or known


def check_window(window: Fact, size: Dim) -> None:
    """Raise OpError where a window is empty or longer than a frame."""
    if window.shape.dims is not None and not (window.shape[0].hi >= 1 and window.shape[0].lo <= size.hi):
        raise OpError(f"the window has {window.shape[0]} samples, expected 1 to {size}, the frame size", input=1)
