"""Kernels allocate no more than their operation declares, measured over enlarged cases."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

from irrun.kernels.threads import release_scratch
from irrun.ops import Op, OpError
from irrun.ops.calling import infer, run
from irrun.runtime import Memory
from irrun.tensor import Array, ElementType, Fact
from tests.cases import Case, all_cases
from tests.ops import enlarged, harness

BLOCKS: Final = 12 << 20
"""The bytes that blocks of a kernel may take on top."""

MOST_ELEMENTS: Final = 1 << 20
LONGEST: Final = 0.1
"""Seconds of a run beyond which a case is not enlarged further."""

MISFITS = (OpError, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError)


def first_cases() -> list[Case]:
    """Return a case of each version of an operation."""
    found: dict[tuple[str, int | str], list[Case]] = {}
    for case in all_cases():
        found.setdefault((case.type, case.opset), []).append(case)
    return [case for cases in found.values() for case in cases[:1]]


def allocated(
    op: Op, inputs: Sequence[Array | None], known: Sequence[Fact | None], types: Sequence[ElementType]
) -> tuple[int, int]:
    """Return the bytes that a run allocates beside its outputs, at most at a time, and the elements of its outputs."""
    context = {"memory": Memory(), "facts": known}
    release_scratch()
    tracemalloc.start()
    try:
        outputs = run(op, inputs, types, **context)
        most = tracemalloc.get_traced_memory()[1] - sum(output.nbytes for output in outputs)
        return most, sum(output.size for output in outputs)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("case", first_cases(), ids=str)
def test_workspace(case: Case) -> None:
    op = harness.operation(case)
    if set(op.spec.run_asks) & {"state", "bodies"}:
        pytest.skip("the operation runs within a model")
    for grown in enlarged.axes(case):
        for times in (4, 16, 64, 256, 1024, 4096, 1 << 14, 1 << 16):
            size = sum(
                array.size * times ** sum(at == index for at, _ in grown)
                for index, array in enumerate(case.inputs)
                if array is not None
            )
            if size > MOST_ELEMENTS:
                break
            inputs = enlarged.repeated(case, grown, times)
            types = harness.element_types(case)
            known = [None if array is None else Fact.of(type, array) for array, type in zip(inputs, types, strict=True)]
            begin = time.process_time()
            try:
                with np.errstate(all="ignore"):
                    outputs = infer(op, known, output_count=len(case.expected))
                    if size + sum(fact.shape.size.lo for fact in outputs) > 4 * MOST_ELEMENTS:
                        break
                    most, made = allocated(op, inputs, known, [fact.type for fact in outputs])
            except MISFITS:
                break
            elements = size + made
            assert most <= op.workspace * elements + BLOCKS, f"{most / elements:.1f} bytes an element"
            if time.process_time() - begin > LONGEST:
                break
