from __future__ import annotations

import math
import re
from collections.abc import Sequence

from irrun.kernels.einsum import Labels, einsum
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import broadcast_dim
from irrun.ops.work import Sizes
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)

_ELLIPSIS = "..."


@op("Einsum", opset=7)
class Einsum(Op):
    """Einstein summation: a product of tensors with labelled axes, summed over labels missing in the output.

    Note: an ellipsis that only the output has covers no axes; one that only the inputs have is summed over.
    """

    departures = {"blanks": "refuses blanks in the equation"}
    workarounds = {"blanks": "write the equation without blanks"}

    inputs = (In("inputs", T, "one tensor for each subscript of the equation", variadic=True),)
    outputs = (Out("output", T),)

    equation: str = attr(doc="subscripts of the inputs, with -> that of the output, such as bij,bjk->bik")

    def verify(self) -> None:
        _, output = self._subscripts()
        if len(set(output)) != len(output):
            raise self._fault("the output subscript repeats a label")

    def multiply_adds(self, sizes: Sizes) -> int:
        """Count the product over all labels, as if contracting all operands at once; 0 for a single operand."""
        if len(sizes.inputs) < 2:
            return 0
        terms = self.equation.replace(" ", "").split("->")[0].split(",")
        found: dict[str, int] = {}
        batch = 1
        for term, shape in zip(terms, sizes.inputs, strict=True):
            head, _, tail = term.partition("...")
            extra = len(shape) - len(head) - len(tail)
            batch = max(batch, math.prod(shape[len(head) : len(head) + extra]))
            named = zip(head + tail, (*shape[: len(head)], *shape[len(head) + extra :]), strict=True)
            for label, size in named:
                found[label] = max(size, found.get(label, 1))
        return batch * math.prod(found.values())

    def infer(self, *inputs: Fact) -> Shape:
        subscripts, output = self._subscripts()
        if len(subscripts) != len(inputs):
            raise self._fault(f"it has {len(subscripts)} input subscripts, expected {len(inputs)}")
        sizes: dict[str, Dim] = {}
        covered: list[Shape] = []
        for index, (fact, labels) in enumerate(zip(inputs, subscripts, strict=True)):
            covered += self._bind(index, fact, labels, sizes)
        dims: list[Dim] = []
        for label in output:
            if label != _ELLIPSIS:
                dims.append(sizes[label])
                continue
            if any(shape.dims is None for shape in covered):
                return Shape.unknown()
            rank = max((len(shape) for shape in covered), default=0)
            dims += [sizes[_covered(rank - axis)] for axis in range(rank)]
        return Shape(dims)

    def run(self, *inputs: Array) -> Array:
        return einsum(inputs, *self.labels([array.ndim for array in inputs]))

    def labels(self, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
        """Return a label for each axis of inputs with these ranks, and of the output."""
        subscripts, output = self._subscripts()
        covered = [rank - len(labels) + 1 for rank, labels in zip(ranks, subscripts, strict=True)]
        expanded = [_expand(labels, rank) for labels, rank in zip(subscripts, covered, strict=True)]
        widest = max((rank for rank, labels in zip(covered, subscripts, strict=True) if _ELLIPSIS in labels), default=0)
        return expanded, _expand(output, widest)

    def _bind(self, index: int, fact: Fact, labels: Labels, sizes: dict[str, Dim]) -> list[Shape]:
        """Merge the sizes of one input into ``sizes``; return the axes that its ellipsis covers, if it has one."""
        named = len(labels) - (_ELLIPSIS in labels)
        rank = fact.rank
        if rank is not None and (rank < named or (rank > named and _ELLIPSIS not in labels)):
            few = "at least " if _ELLIPSIS in labels else ""
            raise OpError(
                f"input {index} has rank {rank}, expected {few}{named} by its subscript {''.join(labels)}", input=index
            )
        if rank is None and _ELLIPSIS in labels:
            for label in labels:
                sizes[label] = _either(sizes.get(label), Dim())
            return [Shape.unknown()]
        shape = fact.shape if fact.shape.dims is not None else Shape.unknown(named)
        own: dict[str, Dim] = {}
        for label, dim in zip(_expand(labels, len(shape) - named), shape, strict=True):
            merged = own.get(label, dim).merge(dim)
            if merged is None:
                raise OpError(f"axes {label} of input {index} have sizes {own[label]} and {dim}", input=index)
            own[label] = merged
        for label, dim in own.items():
            joined = broadcast_dim(sizes[label], dim) if label in sizes else dim
            if joined is None:
                name = "..." if label.startswith(_ELLIPSIS) else label
                raise OpError(f"label {name} is {sizes[label]} and, in input {index}, {dim}", input=index)
            sizes[label] = joined
        if _ELLIPSIS not in labels:
            return []
        start = labels.index(_ELLIPSIS)
        return [Shape(shape[start : start + len(shape) - named])]

    def _subscripts(self) -> tuple[list[Labels], Labels]:
        text = self.equation.replace(" ", "")
        left, arrow, right = text.partition("->")
        inputs = [self._labels(part) for part in left.split(",")]
        if arrow:
            output = self._labels(right)
            for label in output:
                if label != _ELLIPSIS and not any(label in labels for labels in inputs):
                    raise self._fault(f"label {label} of the output is in no input subscript")
            return inputs, output
        every = [label for labels in inputs for label in labels]
        once = sorted(label for label in every if label != _ELLIPSIS and every.count(label) == 1)
        return inputs, (_ELLIPSIS, *once) if _ELLIPSIS in every else tuple(once)

    def _labels(self, subscript: str) -> Labels:
        if re.fullmatch(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*", subscript) is None:
            raise self._fault(f"subscript {subscript} is not made of letters and at most one ellipsis")
        return tuple(re.findall(r"\.\.\.|[A-Za-z]", subscript))

    def _fault(self, what: str) -> OpError:
        return OpError(f'equation "{self.equation}": {what}', attribute="equation")


def _covered(distance: int) -> str:
    """Return the label of an axis under the ellipsis, counted from the right so that inputs align there."""
    return f"{_ELLIPSIS}{distance}"


def _expand(labels: Labels, covered: int) -> Labels:
    """Replace the ellipsis by a label for each axis that it covers."""
    expanded: list[str] = []
    for label in labels:
        expanded += [_covered(covered - axis) for axis in range(covered)] if label == _ELLIPSIS else [label]
    return tuple(expanded)


def _either(known: Dim | None, dim: Dim) -> Dim:
    return dim if known is None else broadcast_dim(known, dim) or known
