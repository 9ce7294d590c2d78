from __future__ import annotations

from irrun.kernels.fft import istft
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.signals.fourier import INDEX
from irrun.ops._declared.signals.stft import check_window, positive
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("ISTFT", opset=16)
class ISTFT(Op):
    """The real signal whose overlapping windowed frames have the given Fourier transforms.

    A window shorter than a frame is zero-padded on both sides. A longer requested signal ends in zeros.
    """

    departures = {
        "odd frames": "returns one more sample with center, frames of odd size and no signal_length",
        "infinite": "returns NaN for more elements beside infinities",
    }
    workarounds = {"odd frames": "give signal_length"}

    inputs = (
        In("data", T, "[frequencies, frames, 2] or [batch, frequencies, frames, 2]", rank=(3, 4)),
        In("window", T, "[size], at most a frame", rank=1),
        In("frame_size", INDEX, "samples in a frame", rank=0),
        In("frame_step", INDEX, "samples from one frame to the next", rank=0),
        In("signal_length", INDEX, "samples in the output", optional=True, rank=(0, 1)),
    )
    outputs = (Out("signal", T, "[samples] or [batch, samples]"),)

    center: bool = attr(doc="whether the signal had half a frame of padding on both sides", openvino=False)
    normalized: bool = attr(doc="whether the data have been divided by sqrt(frame_size)", openvino=False)

    def infer(self, data: Fact, window: Fact, frame_size: Fact, frame_step: Fact, length: Fact | None) -> Shape:
        size = positive(frame_size, "frame_size", 2)
        step = positive(frame_step, "frame_step", 3)
        check_window(window, size)
        if length is not None and length.shape.dims is not None and not length.shape.size.admits(1):
            raise OpError(f"signal_length has shape {length.shape}, expected one number", input=4)
        if data.shape.dims is None:
            return Shape.unknown()
        if not data.shape[-1].admits(2):
            raise OpError(f"the last size of data is {data.shape[-1]}, expected 2", input=0)
        if not data.shape[-3].compatible(size // 2 + 1):
            raise OpError(
                f"data has {data.shape[-3]} frequencies, expected {size // 2 + 1}, frame_size // 2 + 1", input=0
            )
        if length is not None:
            samples = (length.dims() or (Dim.anything(),))[0]
            if samples.hi < 0:
                raise OpError(f"signal_length is {samples}, expected 0 or more", input=4)
        else:
            samples = (data.shape[-2] - 1) * step + (0 if self.center else size)
        return Shape([*data.shape[:-3], samples])

    def run(self, data: Array, window: Array, frame_size: Array, frame_step: Array, length: Array | None) -> Array:
        return istft(
            data,
            window,
            int(frame_size),
            int(frame_step),
            None if length is None else int(length.item()),
            center=self.center,
            normalized=self.normalized,
        )
