"""The error of rounding the operands of a single layer, measured while a model runs in f32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.kernels.halves import rounded
from irrun.ops import calling
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops.fused.fused_product import FusedProduct
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Step
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import F32


class OwnErrors:
    """Runs each product a second time, with exact inputs that are rounded to a precision.

    ``errors`` are steps, and the length of the difference of their outputs divided by that of the exact output.
    """

    def __init__(self, precision: ElementType) -> None:
        self.errors: list[tuple[Step, float]] = []
        self._precision = precision
        self._open: list[Array | None] = []

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        op = step.node.op
        found = None
        if (
            op is not None
            and step.types[:1] == (F32,)
            and (isinstance(op, FusedProduct | FusedPackedMatMul) or op.factors)
        ):
            found = self._rounded(step, inputs)
        self._open.append(found)

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        found = self._open.pop()
        if found is not None:
            exact = outputs[0].astype(np.float64)
            length = float(np.linalg.norm(exact))
            if np.isfinite(length) and length > 0:
                self.errors.append((step, float(np.linalg.norm(found - exact)) / length))

    def _rounded(self, step: Step, inputs: Sequence[Array | None]) -> Array:
        op = step.node.op
        assert op is not None
        if isinstance(op, FusedProduct | FusedPackedMatMul):
            op = op.in_precision(self._precision)
        given = [
            rounded(array, self._precision.name) if array is not None and port in op.factors else array
            for port, array in enumerate(inputs)
        ]
        context = {"memory": Memory()} if "memory" in op.spec.run_asks else {}
        return calling.run(op, given, step.types, **context)[0].copy()
