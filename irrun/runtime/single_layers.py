"""The error of rounding the operands of a single layer while a model runs in f32: at the layer, and at the outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.graph import Node
from irrun.kernels.casting import rounded
from irrun.ops import Op, calling
from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops._declared.fused.fused_products import FusedProduct
from irrun.ops._declared.fused.fused_recurrence import FusedRecurrence
from irrun.runtime.plan import Plan, Step
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import F32

_ROUNDING = (FusedProduct, FusedPackedMatMul, FusedAttention, FusedRecurrence)


def layers_that_round(plan: Plan) -> Iterator[str]:
    """Yield the names of the layers of a plan whose operands are rounded."""
    for step in plan.steps:
        op = step.node.op
        if isinstance(op, _ROUNDING):
            if op.precision not in (F32, F32.name):
                yield step.node.name
        elif op is not None and op.factors and step.types[:1] == (F32,):
            yield step.node.name
        for body in (step.bodies or {}).values():
            yield from layers_that_round(body.plan)


def difference(exact: Sequence[Array], others: Sequence[Array]) -> float:
    """The largest length of a difference, divided by that of the exact array; arrays of no finite length are left out.

    Arrays of shapes that depend on values have no difference where these differ.
    """
    found = [0.0]
    for one, other in zip(exact, others, strict=True):
        if one.dtype.kind == "f" and one.shape == other.shape:
            wide = one.astype(np.float64)
            with np.errstate(all="ignore"):
                length = float(np.linalg.norm(wide))
                gap = float(np.linalg.norm(other - wide))
            if np.isfinite(gap) and np.isfinite(length) and length > 0:
                found.append(gap / length)
    return max(found)


class OwnErrors:
    """Runs each of some layers a second time, with exact inputs that are rounded to a precision.

    ``errors`` are layers, and the largest error of the results of each.
    """

    def __init__(self, precision: ElementType, names: set[str]) -> None:
        self._found: dict[int, tuple[Node, float]] = {}
        self._precision = precision
        self._names = names
        self._open: list[list[Array] | None] = []

    @property
    def errors(self) -> list[tuple[Node, float]]:
        return list(self._found.values())

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        is_asked = step.node.name in self._names
        self._open.append(_rounded(step, inputs, self._precision) if is_asked else None)

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        found = self._open.pop()
        if found is not None:
            _, before = self._found.get(id(step.node), (step.node, 0.0))
            self._found[id(step.node)] = step.node, max(before, difference(outputs, found))


class RoundOne:
    """Replaces the results of one layer by those with operands that are rounded to a precision."""

    def __init__(self, precision: ElementType, node: Node) -> None:
        self._precision = precision
        self._node = node
        self._found: list[Array] = []

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        if step.node is self._node:
            self._found = _rounded(step, inputs, self._precision) or []

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        if step.node is self._node:
            for out, found in zip(outputs, self._found, strict=False):
                np.copyto(out, found)


def _rounded(step: Step, inputs: Sequence[Array | None], precision: ElementType) -> list[Array] | None:
    """The results of a step with rounded operands; None for a step that has none."""
    op: Op | None = step.node.op
    if isinstance(op, _ROUNDING):
        op = op.in_precision(precision)
    elif op is None or not op.factors:
        return None
    given = [
        rounded(array, precision.name) if array is not None and port in op.factors else array
        for port, array in enumerate(inputs)
    ]
    return [array.copy() for array in calling.run(op, given, step.types)]
