"""Kernels allocate no more than their operation declares, measured over enlarged cases."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import pytest

from irrun.kernels.threads import release_scratch
from irrun.ops import Op, OpError
from irrun.ops.calling import infer, run
from irrun.tensor import Array, ElementType, Fact
from tests.cases import Case, all_cases, by_type
from tests.ops import enlarged, harness
from tests.ops.each import for_each

BLOCKS: Final = 12 << 20
"""The bytes that blocks of a kernel may take on top."""

MOST_ELEMENTS: Final = 1 << 20
LONGEST: Final = 0.05
"""Seconds of a run beyond which a case is not enlarged further."""

MOST_TIMES: Final = 1 << 16

MISFITS = (OpError, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError)


class Growth(NamedTuple):
    """A case, and axes that grow together."""

    case: Case
    axes: enlarged.Axes

    def __str__(self) -> str:
        return f"{self.case} {sorted(self.axes)}"

    def size(self, times: int) -> int:
        """Return the elements of all inputs."""
        return sum(
            array.size * times ** sum(at == index for at, _ in self.axes)
            for index, array in enumerate(self.case.inputs)
            if array is not None
        )

    def times(self) -> Iterator[int]:
        """Yield how often the axes are repeated: in steps of 4, or of 2 where several axes of an input grow."""
        inputs = [index for index, _ in self.axes]
        factor = 4 if len(inputs) == len(set(inputs)) else 2
        times = factor
        while times <= MOST_TIMES and self.size(times) <= MOST_ELEMENTS:
            yield times
            times *= factor


def growths() -> dict[str, list[Growth]]:
    """Return the growths of the first case of each version of an operation, by its type."""
    found = {}
    for type, cases in by_type(all_cases()).items():
        first = {case.opset: case for case in reversed(cases) if not runs_within_a_model(case)}
        found[type] = [Growth(case, axes) for case in reversed(first.values()) for axes in enlarged.axes(case)]
    return {type: grown for type, grown in found.items() if grown}


def runs_within_a_model(case: Case) -> bool:
    return bool({"state", "bodies"} & set(harness.declaration(case).spec.run_asks))


GROWTHS = growths()


def allocated(
    op: Op, inputs: Sequence[Array | None], known: Sequence[Fact | None], types: Sequence[ElementType]
) -> tuple[int, int]:
    """Return the bytes that a run allocates beside its outputs, at most at a time, and the elements of its outputs."""
    release_scratch()
    tracemalloc.start()
    try:
        outputs = run(op, inputs, types, facts=known)
        most = tracemalloc.get_traced_memory()[1] - sum(output.nbytes for output in outputs)
        return most, sum(output.size for output in outputs)
    finally:
        tracemalloc.stop()


@pytest.mark.sample(8)
@pytest.mark.parametrize("type", GROWTHS)
def test_workspace(type: str, subtests: pytest.Subtests) -> None:
    for_each(subtests, GROWTHS[type], stays_within_its_workspace)


def stays_within_its_workspace(growth: Growth) -> None:
    case = growth.case
    op = harness.operation(case)
    for times in growth.times():
        inputs = enlarged.repeated(case, growth.axes, times)
        types = harness.element_types(case)
        known = [None if array is None else Fact.of(type, array) for array, type in zip(inputs, types, strict=True)]
        begin = time.process_time()
        try:
            with np.errstate(all="ignore"):
                outputs = infer(op, known, output_count=len(case.expected))
                if growth.size(times) + sum(fact.shape.size.lo for fact in outputs) > 4 * MOST_ELEMENTS:
                    break
                most, made = allocated(op, inputs, known, [fact.type for fact in outputs])
        except MISFITS:
            break
        elements = growth.size(times) + made
        assert most <= op.workspace * elements + BLOCKS, f"{most / elements:.1f} bytes an element"
        if time.process_time() - begin > LONGEST:
            break
