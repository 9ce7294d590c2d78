"""Soundness of inference: with random sizes, values and types of the cases, the real output is within the fact."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from irrun.inference.fold import fold
from irrun.ops import Op, OpError
from irrun.ops.calling import infer, run
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import F16, F32, F64
from tests.cases import Case, all_cases
from tests.ops import harness

BY_OPERATION: dict[str, list[Case]] = defaultdict(list)
for _case in all_cases():
    if "state" not in harness.declaration(_case).spec.run_asks:
        BY_OPERATION[f"{_case.type}-{_case.opset}"].append(_case)


@pytest.mark.parametrize("operation", sorted(BY_OPERATION))
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_the_output_lies_in_the_fact(operation: str, data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(BY_OPERATION[operation]), label="case")
    op = harness.operation(case)
    inputs = _inputs(case, data)
    types = _types(case, data)
    known = [None if a is None else Fact.of(t, a.astype(t.dtype)) for a, t in zip(inputs, types, strict=True)]
    try:
        exact = infer(op, known)
    except OpError:
        assume(False)
        return
    if not _affordable(exact):
        return
    arrays = [None if fact is None else fact.value for fact in known]
    try:
        outputs = run(op, arrays, [fact.type for fact in exact], facts=_without_values(known))
    except OpError:
        assume(False)
        return
    for hidden in (known, _without_values(known), _without_sizes(known), _without_ranks(known)):
        _check(op, hidden, outputs)


def _inputs(case: Case, data: st.DataObject) -> list[Array | None]:
    """Draw inputs like those of a case: one size is replaced wherever it occurs, and the values are random."""
    sizes = sorted({size for array in case.inputs if array is not None for size in array.shape})
    changed = {}
    if sizes and data.draw(st.booleans(), label="resize"):
        old = data.draw(st.sampled_from(sizes), label="size")
        changed[old] = data.draw(st.integers(0, 6), label="new size")
    seed = data.draw(st.integers(0, 2**16), label="seed")
    return [None if array is None else _varied(array, changed, np.random.default_rng(seed)) for array in case.inputs]


def _varied(array: Array, changed: dict[int, int], random: np.random.Generator) -> Array:
    shape = tuple(changed.get(size, size) for size in array.shape)
    if array.dtype.kind == "f":
        spread = float(np.abs(array[np.isfinite(array)]).max(initial=1.0))
        return np.asarray(random.uniform(-1, 1, shape) * spread, dtype=array.dtype)
    if shape == array.shape:
        return array
    if array.dtype.kind == "b" or array.size == 0:
        return np.asarray(random.integers(0, 2, shape)).astype(array.dtype)
    return np.resize(array, shape)


def _types(case: Case, data: st.DataObject) -> list[ElementType]:
    types = harness.element_types(case)
    float_type = data.draw(st.sampled_from([F32, F32, F16, F64]), label="float type")
    return [float_type if type is F32 and index not in case.types else type for index, type in enumerate(types)]


def _affordable(outputs: tuple[Fact, ...]) -> bool:
    return all(not fact.shape.is_static or fact.shape.size.lo < 200_000 for fact in outputs)


def _without_values(known: list[Fact | None]) -> list[Fact | None]:
    return [None if fact is None else Fact(fact.type, fact.shape) for fact in known]


def _without_sizes(known: list[Fact | None]) -> list[Fact | None]:
    return [None if fact is None else Fact(fact.type, Shape.unknown(fact.rank)) for fact in known]


def _without_ranks(known: list[Fact | None]) -> list[Fact | None]:
    return [None if fact is None else Fact(fact.type, Shape.unknown()) for fact in known]


def _check(op: Op, known: list[Fact | None], outputs: tuple[Array, ...]) -> None:
    facts = fold(op, known, infer(op, known, output_count=len(outputs)))
    assert len(facts) == len(outputs)
    for fact, output in zip(facts, outputs, strict=True):
        bare = fact if output.dtype.kind not in "fO" else Fact(fact.type, fact.shape)
        assert bare.admits(output), f"{output.dtype}{list(output.shape)} does not lie in {fact!r}"
