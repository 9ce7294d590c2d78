"""Values that inference refuses as constants are refused when they arrive as inputs of the model, on both tiers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.ops import OpError
from irrun.ops.calling import infer
from irrun.tensor import Fact
from tests.cases import Case, all_cases
from tests.ops import harness
from tests.ops.extremes import extremes

TIERS: Final = ("numpy", "compiled")

MOST_CASES: Final = 3
"""Cases of each operation whose variants are judged."""


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


def refused_cases() -> Iterator[tuple[Case, str]]:
    """Yield for each operation and input the first variant with values that are refused."""
    for _, group in itertools.groupby(all_cases(), key=lambda case: (case.type, case.opset)):
        cases = [case for case in group if isinstance(case, Case) and reads_values(case)]
        found: dict[str, tuple[Case, str]] = {}
        for case in itertools.chain.from_iterable(map(extremes, cases[:MOST_CASES])):
            message = refused(case)
            if message is not None:
                found.setdefault(case.name.rpartition(": ")[2], (case, message))
        yield from found.values()


def reads_values(case: Case) -> bool:
    return any(array is not None and array.ndim <= 1 for array in case.inputs[1:]) or len(case.inputs) == 1


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize(("case", "message"), list(refused_cases()), ids=lambda item: str(item)[:60])
def test_refused_as_constants_and_as_inputs(case: Case, message: str, dynamic: bool) -> None:
    ir, parameters = harness.model(case, dynamic=dynamic)
    loaded = irrun.model.load(ir.text.encode(), ir.weights)
    for tier in TIERS:
        compiled = irrun.model.build(loaded, {"TIER": tier})
        with pytest.raises(IRError) as caught:
            compiled([case.inputs[index] for index in parameters])
        assert message in str(caught.value)
