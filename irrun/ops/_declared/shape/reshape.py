from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.refuting import Refutation
from irrun.ops.shapes import exact_quotient, within
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Reshape", opset=1)
class Reshape(Op):
    """Reshape a tensor to another shape with the same number of elements.

    A size of -1 is the remaining size; a size of 0 copies the size of the same axis of data where ``special_zero`` is
    true.

    Note: where data and the other sizes are both empty, -1 is 1.
    """

    inputs = (In("data", T), In("shape", INTEGER, "the new shape", rank=1))
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS
    view = True

    special_zero: bool = attr(doc="whether 0 copies the size of data instead of being a size", openvino=False)

    def infer(self, data: Fact, shape: Fact) -> Shape:
        pattern = shape.dims()
        if pattern is None:
            return Shape.unknown()
        _check(pattern)
        copied = [place for place, size in enumerate(pattern) if self.special_zero and size == 0]
        if data.shape.dims is None:
            return Shape([Dim() if place in copied or size.lo < 0 else size for place, size in enumerate(pattern)])
        if copied and copied[-1] >= len(data.shape):
            raise OpError(f"shape copies size {copied[-1]} of data, which have rank {len(data.shape)}", input=1)
        target = [self._size(size, place, data.shape) for place, size in enumerate(pattern)]
        left = [size for place, size in enumerate(data.shape) if place not in copied]
        asked = [size for place, size in enumerate(target) if place not in copied and pattern[place] != -1]
        if -1 in pattern:
            target[pattern.index(Dim.exactly(-1))] = _rest(left, asked, data.shape, pattern)
        elif any(target[place] == 0 for place in copied):
            return Shape(target)
        elif not math.prod(left, start=Dim.exactly(1)).compatible(math.prod(asked, start=Dim.exactly(1))):
            wanted = Shape(target)
            raise OpError(
                f"shape {wanted} has {amount(wanted.size, 'element')}, but data {data.shape} have {data.shape.size}",
                input=1,
            )
        return Shape(target)

    def refute(self, declared: Sequence[Shape], data: Fact, shape: Fact) -> Iterator[Refutation]:
        if declared[0].dims is None or data.shape.dims is None:
            return
        total = math.prod(size.lo for size in data.shape if size.is_static)
        product = math.prod(size.lo for size in declared[0] if size.is_static)
        if data.shape.is_static and declared[0].is_static and product != total:
            yield Refutation(f"it has {amount(product, 'element')}, expected {total} as data {data.shape}")
        elif data.shape.is_static and not _divides(product, total):
            yield Refutation(f"its sizes do not divide the {amount(total, 'element')} of data {data.shape}")
        elif declared[0].is_static and not _divides(total, product):
            yield Refutation(
                f"it has {amount(product, 'element')}, expected a multiple of {total} as data {data.shape}"
            )

    def run(self, data: Array, shape: Array) -> Array:
        pattern = [int(size) for size in shape.tolist()]
        target = [data.shape[i] if self.special_zero and size == 0 else size for i, size in enumerate(pattern)]
        if -1 in target:
            known = math.prod(size for size in target if size != -1)
            copied = {i for i, size in enumerate(pattern) if self.special_zero and size == 0}
            left = math.prod(size for i, size in enumerate(data.shape) if i not in copied)
            asked = math.prod(size for i, size in enumerate(target) if i not in copied and size != -1)
            target[target.index(-1)] = data.size // known if known else left // asked if asked else 1
        if math.prod(target) != data.size:
            raise OpError(f"shape {pattern} does not fit data {list(data.shape)} of {data.size} elements", input=1)
        return data.reshape(target)

    def _size(self, size: Dim, place: int, data: Shape) -> Dim:
        """Return a size of the result from its entry in the pattern."""
        if size.lo < 0:
            return Dim()
        if not self.special_zero or not size.admits(0) or place >= len(data):
            return size
        if size == 0 or size == data[place]:
            return data[place]
        return _either(size, data[place])


def _divides(factor: int, product: int) -> bool:
    return product % factor == 0 if factor else product == 0


def _either(size: Dim, copied: Dim) -> Dim:
    """Return a size that is given, or copied where it is 0."""
    bounds = Dim(min(max(size.lo, 1), copied.lo), max(size.hi, copied.hi))
    return within(size, bounds) if copied.hi <= size.hi else bounds


def _check(pattern: Sequence[Dim]) -> None:
    for size in pattern:
        if size.hi < -1:
            raise OpError(f"shape holds {size}, but a size cannot be negative; expected -1, 0 or a size", input=1)
    if sum(size == -1 for size in pattern) > 1:
        raise OpError(f"shape holds -1 {sum(size == -1 for size in pattern)} times, expected at most once", input=1)


def _rest(left: Sequence[Dim], asked: Sequence[Dim], data: Shape, pattern: Sequence[Dim]) -> Dim:
    """Return the size for -1: the remaining sizes of data, divided by the other sizes of the pattern."""
    ahead, behind = list(left), list(asked)
    for size in asked:
        if size != 0 and size in ahead:
            ahead.remove(size)
            behind.remove(size)
    total, known = math.prod(ahead, start=Dim.exactly(1)), math.prod(behind, start=Dim.exactly(1))
    if known == 0:
        if total.lo > 0:
            raise OpError(f"-1 has no size where another is 0 and data {data} have elements", input=1)
        return Dim.exactly(1) if total == 0 else Dim()
    if total.is_static and known.is_static and total.lo % known.lo:
        text = ",".join("-1" if size == -1 else str(size) for size in pattern)
        raise OpError(f"shape [{text}] does not divide data {data} of {data.size} elements", input=1)
    return exact_quotient(total, known)
