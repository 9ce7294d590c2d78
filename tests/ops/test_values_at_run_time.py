"""Values that inference refuses as constants are refused when they arrive as inputs of the model, on both tiers."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.ops import OpError
from irrun.ops.calling import infer
from irrun.tensor import Fact
from tests import cases
from tests.cases import Case, all_cases
from tests.ops import harness
from tests.ops.each import for_each, group
from tests.ops.extremes import extremes
from tests.plugins.tiers import Tier

TIERS: Final = ("numpy", "compiled")

MOST_CASES: Final = 3
"""Cases of each operation whose variants are judged."""

SAMPLE: Final = 4
"""One variant in so many is in the quick tier."""

WITHOUT: Final = {"quantization", "bitwise", "internal", "matrix", "logical", "activation", "comparison"}
"""Categories of operations that read no values which may be wrong."""


def refused(case: Case) -> str | None:
    """Return the message of inference, if it refuses the values of a case, but not their types and shapes."""
    op, known = harness.operation(case), harness.facts(case)
    if op.spec.infer_asks:
        return None
    try:
        infer(op, [None if fact is None else Fact(fact.type, fact.shape) for fact in known])
    except OpError:
        return None
    try:
        infer(op, known)
    except OpError as error:
        return error.message
    return None


class Refused(NamedTuple):
    """A case, and the message of inference about its values."""

    case: Case
    message: str

    def __str__(self) -> str:
        return str(self.case)


def refused_cases(category: str) -> Iterator[Refused]:
    """Yield for each operation and input the first variant with values that are refused."""
    for _, of_operation in itertools.groupby(CATEGORIES[category], key=lambda case: (case.type, case.opset)):
        found: dict[str, Refused] = {}
        for case in itertools.chain.from_iterable(map(extremes, itertools.islice(of_operation, MOST_CASES))):
            message = refused(case)
            if message is not None:
                found.setdefault(case.name.rpartition(": ")[2], Refused(case, message))
        yield from found.values()


def reads_values(case: Case) -> bool:
    return any(array is not None and array.ndim <= 1 for array in case.inputs[1:]) or len(case.inputs) == 1


CATEGORIES: dict[str, list[Case]] = defaultdict(list)
for _case in filter(reads_values, all_cases()):
    CATEGORIES[harness.declaration(_case).spec.category].append(_case)


@pytest.mark.parametrize("category", sorted(CATEGORIES.keys() - WITHOUT), ids=group)
def test_refused_as_constants_and_as_inputs(category: str, tier: Tier, subtests: pytest.Subtests) -> None:
    found = list(refused_cases(category))
    assert found or cases.ONLY
    for_each(subtests, tier.part(found, -(-len(found) // SAMPLE)), refused_at_run_time)


def refused_at_run_time(item: Refused) -> None:
    for dynamic in (False, True):
        ir, parameters = harness.model(item.case, dynamic=dynamic)
        loaded = irrun.model.load(ir.text.encode(), ir.weights)
        for tier in TIERS:
            compiled = irrun.model.build(loaded, {"TIER": tier})
            with pytest.raises(IRError) as caught:
                compiled([item.case.inputs[index] for index in parameters])
            assert item.message in str(caught.value)
