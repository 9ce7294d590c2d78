"""A compiled program that fitted some shapes says of others what inference says: it computes them, or they are refused.

Every operation runs on the inputs of its cases, with all sizes unknown, and then with another size of each axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.model.compiled import Compiled
from irrun.tensor import Array
from tests.cases import Case, all_cases, by_type
from tests.ops import harness
from tests.ops.each import for_each
from tests.plugins.tiers import Tier

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

CASES = by_type(case for case in all_cases() if case.inputs and case.inputs[0] is not None)
SAMPLE: Final = 5
"""One case in so many is in the quick tier."""


def others(inputs: Sequence[Array]) -> Iterator[list[Array]]:
    """The inputs with one more and one less element along each axis of each of them."""
    for number, array in enumerate(inputs):
        for axis, size in enumerate(array.shape):
            for step in (1, -1):
                if size + step >= 0:
                    places = np.arange(size + step) % max(size, 1)
                    changed = array.take(places, axis) if size else np.zeros((*array.shape[:axis], 1), array.dtype)
                    if changed.ndim == array.ndim:
                        yield [*inputs[:number], changed, *inputs[number + 1 :]]


def outcome(compiled: Compiled, inputs: Sequence[Array]) -> tuple[Array, ...] | str:
    try:
        return tuple(compiled(list(inputs)).to_tuple())
    except (IRError, irrun.model.InputError) as error:
        return str(error)


def is_equal(a: Any, b: Any, case: Case) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    return all(
        x.shape == y.shape and (x.dtype.kind in "OSU" or np.allclose(x, y, 1e-3, max(case.atol, 1e-4), equal_nan=True))
        for x, y in zip(a, b, strict=True)
    )


@pytest.mark.bails_out("a kernel found values that it does not support")
@pytest.mark.parametrize("type", CASES)
def test_other_shapes(type: str, tier: Tier, subtests: pytest.Subtests) -> None:
    cases = CASES[type]
    for_each(subtests, tier.part(cases, -(-len(cases) // SAMPLE)), computes_other_shapes)


def computes_other_shapes(case: Case) -> None:
    ir, parameters = harness.model(case, dynamic=True, constants=harness.constants(case))
    loaded = irrun.model.load(ir.text.encode(), ir.weights)
    compiled, plain = (irrun.model.build(loaded, config) for config in ({"TIER": "compiled"}, {"OPTIMIZE": False}))
    fitting = [array for index in parameters if (array := case.inputs[index]) is not None]
    for _ in range(2):
        assert is_equal(outcome(compiled, fitting), outcome(plain, fitting), case)
    for inputs in others(fitting):
        got, expected = outcome(compiled, inputs), outcome(plain, inputs)
        assert is_equal(got, expected, case), ([array.shape for array in inputs], got, expected)
