from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from irrun.diagnostics import amount
from irrun.kernels import windows
from irrun.kernels.windows import pad_mapped
from irrun.ops import Array, Dim, Fact, Fold, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import LEFT_OUT, NO_ELEMENTS
from irrun.ops.shapes import within
from irrun.tensor import UNBOUNDED
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)

Mode = Literal["constant", "edge", "reflect", "symmetric"]


@op("Pad", opset=1)
class PadV1(Op):
    """Extend a tensor at its edges with a constant, or with its own elements.

    Note: the page does not allow negative pads; as in OpenVINO, they crop as in Pad-12. pad_value is ignored where
    pad_mode is not constant.
    """

    departures = {"scalar": "refuses a scalar"}
    workarounds = {"scalar": LEFT_OUT}

    workspace = 8
    inputs = (
        In("data", T),
        In("pads_begin", INTEGER, "number of elements to add before each axis", rank=1),
        In("pads_end", INTEGER, "number of elements to add after each axis", rank=1),
        In("pad_value", T, "the constant; 0 where absent", optional=True, rank=0),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS
    legacy = (Legacy("pad_value", "pads_begin", "pads_end", since="2019 R2", until="2021.2"),)

    pad_mode: Mode = attr(doc="source of new elements", openvino="constant")

    def infer(self, data: Fact, pads_begin: Fact, pads_end: Fact, pad_value: Fact | None) -> Shape:
        return _shape(data, pads_begin, pads_end, self.pad_mode)

    def run(self, data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None) -> Array:
        return _run(data, pads_begin, pads_end, pad_value, self.pad_mode)


@op("Pad", opset=12)
class PadV12(Op):
    """Extend a tensor at its edges with a constant, or with its own elements; negative pads crop it.

    New elements are determined before cropping: elements cropped at one end are still mirrored at the other.

    Note: pad_value is ignored where pad_mode is not constant; the page says that it should then be absent.
    """

    departures = {
        "scalar": "refuses a scalar",
        "cropped": "refuses to crop all of an axis, and reads beyond the tensor where more is cropped",
    }
    workarounds = {"scalar": LEFT_OUT, "cropped": NO_ELEMENTS}

    workspace = 8
    inputs = (
        In("data", T),
        In("pads_begin", INTEGER, "number of elements to add before each axis; negative numbers crop", rank=1),
        In("pads_end", INTEGER, "number of elements to add after each axis; negative numbers crop", rank=1),
        In("pad_value", T, "the constant; 0 or the empty string where absent", optional=True, rank=0),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    pad_mode: Mode = attr(doc="source of new elements", openvino="constant")

    def infer(self, data: Fact, pads_begin: Fact, pads_end: Fact, pad_value: Fact | None) -> Shape:
        if data.type.kind == "string" and self.pad_mode != "constant":
            raise OpError(f"pad_mode is {self.pad_mode}, expected constant for strings", attribute="pad_mode")
        return _shape(data, pads_begin, pads_end, self.pad_mode)

    def run(self, data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None) -> Array:
        return _run(data, pads_begin, pads_end, pad_value, self.pad_mode)


_MOST: Final = 2**62


def _shape(data: Fact, pads_begin: Fact, pads_end: Fact, mode: Mode) -> Shape:
    before, after = pads_begin.dims(), pads_end.dims()
    for index, (name, pads) in enumerate((("pads_begin", before), ("pads_end", after)), start=1):
        if data.rank is not None and pads is not None and len(pads) != data.rank:
            raise OpError(
                f"{name} has {amount(len(pads), 'element')}, expected {data.rank}, the rank of data", input=index
            )
    if before is not None and after is not None and len(before) != len(after):
        raise OpError(f"pads_end has {amount(len(after), 'element')}, expected {len(before)} as pads_begin", input=2)
    if data.shape.dims is None:
        known = before if before is not None else after
        return Shape.unknown(None if known is None else len(known))
    unknown = (Dim.anything(),) * len(data.shape)
    dims = []
    for axis, (begin, size, end) in enumerate(zip(before or unknown, data.shape, after or unknown, strict=True)):
        _check(size, axis, begin, end, mode)
        dims.append((_limited(begin, size, mode) + size + _limited(end, size, mode)).maximum(0))
    return Shape(dims)


def _limited(pad: Dim, size: Dim, mode: Mode) -> Dim:
    """Return a pad restricted to what the elements of an axis suffice for."""
    if pad.is_static or mode not in ("reflect", "symmetric") or size.hi >= UNBOUNDED:
        return pad
    return within(pad, Dim(-UNBOUNDED, max(size.hi - (mode == "reflect"), 0)))


def _check(size: Dim, axis: int, before: Dim, after: Dim, mode: Mode) -> None:
    """Raise OpError where an axis does not have enough elements for known pads, or a pad is not a size of a tensor."""
    for index, (name, pad) in enumerate((("pads_begin", before), ("pads_end", after)), start=1):
        if pad.is_static and abs(pad.lo) >= _MOST:
            raise OpError(f"{name} is {pad} on axis {axis}, expected less than 2^62 elements", input=index)
    if mode == "constant":
        return
    if mode == "edge":
        if size == 0 and (before.lo > 0 or after.lo > 0):
            raise OpError(f"axis {axis} of size 0 has no edge to pad with", input=0)
        return
    most = size - (1 if mode == "reflect" else 0)
    for index, (name, pad) in enumerate((("pads_begin", before), ("pads_end", after)), start=1):
        if pad.lo > max(most.hi, 0):
            raise OpError(
                f"{name} is {pad} on axis {axis} of size {size}, expected at most {max(most.hi, 0)} to {mode}",
                input=index,
            )


def _run(data: Array, pads_begin: Array, pads_end: Array, pad_value: Array | None, mode: Mode) -> Array:
    before, after = ([int(pad) for pad in pads.tolist()] for pads in (pads_begin, pads_end))
    _check_all(data.shape, before, after, mode)
    if mode == "constant":
        return windows.pad(data, before, after, _value(data, pad_value))
    return pad_mapped(data, before, after, mode)


def _check_all(shape: Sequence[int], before: Sequence[int], after: Sequence[int], mode: Mode) -> None:
    for axis, (size, begin, end) in enumerate(zip(shape, before, after, strict=True)):
        _check(Dim.exactly(size), axis, Dim.exactly(begin), Dim.exactly(end), mode)


def _value(data: Array, pad_value: Array | None) -> Any:
    if pad_value is not None:
        return pad_value.reshape(-1)[0]
    if data.dtype == object and (data.size == 0 or isinstance(data.flat[0], str)):
        return ""
    return 0
