"""Soundness of inference: with random sizes, values and types of the cases, the real output is within the fact."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from irrun.inference.fold import fold
from irrun.ops import Op, OpError
from irrun.ops.calling import infer, run
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import F16, F32, F64
from tests.cases import Case, all_cases
from tests.ops import harness
from tests.ops.each import for_each, group
from tests.plugins.tiers import Campaign


class Draw(NamedTuple):
    """An operation as ``type-opset``, and the seed by which a case, its sizes, types and values are chosen."""

    operation: str
    seed: int


BY_OPERATION: dict[str, list[Case]] = defaultdict(list)
CATEGORIES: dict[str, set[str]] = defaultdict(set)
for _case in all_cases():
    _spec = harness.declaration(_case).spec
    if "state" not in _spec.run_asks:
        BY_OPERATION[f"{_case.type}-{_case.opset}"].append(_case)
        CATEGORIES[_spec.category].add(f"{_case.type}-{_case.opset}")


@pytest.mark.parametrize("category", sorted(CATEGORIES), ids=group)
def test_the_output_lies_in_the_fact(category: str, campaign: Campaign, subtests: pytest.Subtests) -> None:
    count: Counter[str] = Counter()
    for seed in campaign.draws(6, 40):
        draws = [Draw(operation, seed) for operation in sorted(CATEGORIES[category])]
        for_each(subtests, draws, lambda draw: count.update([_examined(draw)]))
    assert count["computed"]


def _examined(draw: Draw) -> str:
    """Return whether irrun refused the draw, computed it, or would compute large outputs."""
    random = np.random.default_rng([draw.seed, zlib.crc32(draw.operation.encode())])
    cases = BY_OPERATION[draw.operation]
    case = cases[random.integers(len(cases))]
    op = harness.operation(case)
    inputs, types = _inputs(case, random), _types(case, random)
    known = [None if a is None else Fact.of(t, a.astype(t.dtype)) for a, t in zip(inputs, types, strict=True)]
    try:
        exact = infer(op, known)
        if not _affordable(exact):
            return "large"
        arrays = [None if fact is None else fact.value for fact in known]
        outputs = run(op, arrays, [fact.type for fact in exact], facts=_without_values(known))
    except OpError:
        return "refused"
    for hidden in (known, _without_values(known), _without_sizes(known), _without_ranks(known)):
        _check(op, hidden, outputs)
    return "computed"


def _inputs(case: Case, random: np.random.Generator) -> list[Array | None]:
    """Draw inputs like those of a case: one size may be replaced wherever it occurs, and the values are random."""
    sizes = sorted({size for array in case.inputs if array is not None for size in array.shape})
    changed = {}
    if sizes and random.random() < 0.5:
        changed[sizes[random.integers(len(sizes))]] = int(random.integers(7))
    return [None if array is None else _varied(array, changed, random) for array in case.inputs]


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


def _types(case: Case, random: np.random.Generator) -> list[ElementType]:
    float_type = (F32, F32, F16, F64)[random.integers(4)]
    return [
        float_type if type is F32 and index not in case.types else type
        for index, type in enumerate(harness.element_types(case))
    ]


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
