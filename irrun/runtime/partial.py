"""Plans that cannot become a program, with variables or open sizes: NumPy runs them, but for products of stored codes.

A product of a few rows by weights of few bits is bound by memory, which the compiled kernel reads once. Products in f32
are left to BLAS: between them workers would have to be woken for each.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Final

from irrun.kernels.compiled.packed import packed_product
from irrun.kernels.threads import threads
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import Packs
from irrun.runtime.plan import Plan, Step
from irrun.runtime.program import Instance, lower_step
from irrun.tensor import Array

_LEAST_WEIGHTS: Final = 1 << 17
"""Elements of weights below which a product is not worth a call of its own."""

_MOST_ROWS: Final = 32
"""Rows up to which a product is bound by the memory of the weights."""

_MOST_SHAPES: Final = 8
"""Shapes of the inputs of a step that are remembered."""


def partly_compiled(plan: Plan, packs: Packs) -> Plan | None:
    """The plan with compiled products; None where it has none."""
    steps = tuple(_compiled(step, packs) for step in plan.steps)
    if all(new is step for new, step in zip(steps, plan.steps, strict=True)):
        return None
    packed_product.address  # noqa: B018
    return plan.with_steps(steps)


def _compiled(step: Step, packs: Packs) -> Step:
    op = step.node.op
    if not isinstance(op, FusedPackedMatMul):
        return step
    depth, columns = op.weights.shape
    return step._replace(run=_CompiledStep(step, packs)) if depth * columns >= _LEAST_WEIGHTS else step


class _CompiledStep:
    """A step as programs of its own, one for each shape of its inputs."""

    def __init__(self, step: Step, packs: Packs) -> None:
        self._step = step
        self._packs = packs
        self._idle: dict[Any, deque[Instance] | None] = {}

    def __call__(self, *arrays: Array | None, **context: Any) -> Any:
        given = [x for x in arrays if x is not None]
        if math.prod(given[0].shape[:-1]) > _MOST_ROWS:
            return self._step.run(*arrays, **context)
        key = tuple(x.shape for x in given)
        if key not in self._idle:
            if len(self._idle) >= _MOST_SHAPES:
                self._idle.clear()
            made = self._instance(arrays)
            self._idle[key] = None if made is None else deque([made], maxlen=2)
        idle = self._idle.get(key)
        if idle is None:
            return self._step.run(*arrays, **context)
        try:
            instance = idle.pop()
        except IndexError:
            found = self._instance(arrays)
            assert found is not None
            instance = found
        (result,) = instance.run(given, threads())
        idle.append(instance)
        return result

    def _instance(self, arrays: tuple[Array | None, ...]) -> Instance | None:
        program = lower_step(self._step, arrays, self._packs)
        return None if program is None else Instance(program, threads())
