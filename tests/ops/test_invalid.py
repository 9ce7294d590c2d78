"""Invalid uses of operations: each raises one message that names the fault and the expectation, at last when run."""

from __future__ import annotations

import pytest

from irrun.ops import OpError
from irrun.ops.calling import infer, run
from irrun.tensor import ElementType, Fact, Shape
from tests.cases import Invalid, all_invalid, by_type
from tests.ops import harness
from tests.ops.each import for_each

INVALID = by_type(all_invalid())


@pytest.mark.parametrize("type", INVALID)
def test_messages(type: str, subtests: pytest.Subtests) -> None:
    for_each(subtests, INVALID[type], is_told)


def is_told(case: Invalid) -> None:
    with pytest.raises(OpError) as caught:
        _use(case)
    assert case.message in caught.value.message
    if case.attribute is not None:
        assert caught.value.attribute == case.attribute
    if case.input is not None:
        assert caught.value.input == case.input


def _use(case: Invalid) -> None:
    op, facts = harness.operation(case), _facts(case)
    types = [fact.type for fact in infer(op, facts)]
    run(op, [None if fact is None else fact.value for fact in facts], types)


def _facts(case: Invalid) -> list[Fact | None]:
    found: list[Fact | None] = []
    for item, type in zip(case.inputs, harness.element_types(case), strict=True):
        if item is None:
            found.append(None)
        elif isinstance(item, str):
            name, _, dims = item.partition("[")
            found.append(Fact(ElementType.named(name), Shape.parse(f"[{dims}")))
        else:
            found.append(Fact.of(type, item))
    return found
