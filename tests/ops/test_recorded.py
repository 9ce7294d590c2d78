"""The numbers of OpenVINO's own tests: shapes that it infers or refuses, and values that it computes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pytest

import irrun.model
from irrun.document import read
from irrun.document.writer import Writer
from irrun.graph import bind
from irrun.graph.graph import Outlet
from irrun.inference import infer
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import ElementType
from tests import cases
from tests.cases.openvino import Kind, Recorded, described, reasons, recorded
from tests.ops.each import for_each, together
from tests.plugins.tiers import Tier

KINDS: tuple[Kind, ...] = ("shapes", "values")
SHAPES = recorded("shapes")
VALUES = recorded("values")
DEPART = {kind: {name for names in reasons(kind).values() for name in names} for kind in KINDS}
"""The names of the cases in which irrun departs from OpenVINO, for a reason."""
PARTS = 40
"""The number of models in which the cases of values are."""
NARROW = 0.02
"""The tolerance of types of 16 bits and less: OpenVINO's tests round each step, irrun the results."""


def outcomes(chosen: Sequence[Recorded]) -> list[tuple[Fact, ...] | None]:
    """Return the outputs of the last layer of each graph, None where it is refused: all are parts of one document."""
    ir = Writer("shapes")
    ends = [case.write(ir)[-1] for case in chosen]
    document = read(ir.text.encode(), ir.weights)
    facts = infer(bind(document).graph, document.weights)
    found: list[tuple[Fact, ...] | None] = []
    for end in ends:
        known = [facts.of.get(Outlet(handle.layer, handle.port - end[0].port)) for handle in end]
        found.append(tuple(fact for fact in known if fact is not None) if None not in known else None)
    return found


def agrees(outputs: tuple[Fact, ...] | None, expected: Sequence[str] | None) -> bool:
    """Return whether both refuse, or the types are the same and each size lies within the bounds of OpenVINO."""
    if outputs is None or expected is None:
        return outputs is None and expected is None
    wanted = [described(text) for text in expected]
    return len(outputs) == len(wanted) and all(
        fact.type is type
        and (
            shape.dims is None
            or (
                fact.rank == shape.rank
                and all(a.lo >= b.lo and a.hi <= b.hi for a, b in zip(fact.shape, shape, strict=True))
            )
        )
        for fact, (type, shape) in zip(outputs, wanted, strict=True)
    )


@pytest.mark.skipif(bool(cases.ONLY), reason="counts all cases")
def test_as_many_as_are_told() -> None:
    assert len(SHAPES) >= 8000
    assert len(VALUES) >= 6000
    for kind, all_of_kind in zip(KINDS, (SHAPES, VALUES), strict=True):
        named = {str(case) for case in all_of_kind}
        assert len(named) == len(all_of_kind)
        assert named >= DEPART[kind]


def test_shapes(subtests: pytest.Subtests) -> None:
    """Every graph, in one document: the outputs that OpenVINO infers, or sizes within its bounds, or no output."""
    found = dict(zip(map(str, SHAPES), outcomes(SHAPES), strict=True))

    def check(case: Recorded) -> None:
        outputs, expected = found[str(case)], case.record["o"]
        if str(case) not in DEPART["shapes"]:
            said = outputs and [f"{fact.type}{fact.shape}" for fact in outputs]
            assert agrees(outputs, expected), f"{said or 'refused'}, expected {expected or 'a refusal'}"

    for_each(subtests, SHAPES, check)


def parts(every: Sequence[Recorded]) -> list[list[Recorded]]:
    """Return the cases in ``PARTS`` groups, those of an operation in the same."""
    found: list[list[Recorded]] = [[] for _ in range(PARTS)]
    for case in sorted(every, key=str):
        found[zlib.crc32(case.type.encode()) % PARTS].append(case)
    return found


@pytest.mark.parametrize("tier_of_kernels", ["numpy", "auto"])
@pytest.mark.parametrize("part", range(PARTS))
def test_values(part: int, tier_of_kernels: str, tier: Tier, subtests: pytest.Subtests) -> None:
    """Every graph whose outputs a test of OpenVINO has, many in one model, with kernels and without."""
    chosen = [case for case in parts(VALUES)[part] if str(case) not in DEPART["values"]]
    together(subtests, tier.part(chosen, -(-len(chosen) // 10)), lambda part: values(part, tier_of_kernels))


def values(chosen: Sequence[Recorded], tier: str) -> None:
    ir = Writer("values")
    inputs: dict[str, Array] = {}
    for number, case in enumerate(chosen):
        made = case.write(ir, f"{number}-")
        for node, port in case.record["e"]:
            ir.result(made[node][port])
        inputs |= {f"{number}-in{index}": array for index, array in enumerate(case.inputs)}
    compiled = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), {"TIER": tier})
    outputs = list(compiled(inputs).values())
    for case in chosen:
        for item, want in zip(case.record["o"], case.expected, strict=True):
            near(case, outputs.pop(0), want, *described(item[0]))


def near(case: Recorded, got: Array, want: Array, type: ElementType, shape: Shape) -> None:
    """Fail unless an output has the expected shape and values, as exactly as the test of OpenVINO prints them."""
    assert shape.dims is None or got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    if type.kind == "string" or (not type.is_float and "r" not in case.record):
        assert got.reshape(-1).tolist() == want.reshape(-1).tolist()
        return
    numbers, wanted = got.astype(np.float64).reshape(-1), want.astype(np.float64).reshape(-1)
    if type.is_float and type.bits < 32:
        usual = (NARROW, NARROW * np.abs(wanted[np.isfinite(wanted)]).max(initial=0))
    else:
        usual = (1e-4, 1e-5 * np.abs(wanted[np.isfinite(wanted)]).max(initial=1))
    rtol, atol = case.record.get("r", usual)
    np.testing.assert_allclose(numbers, wanted, rtol, atol, equal_nan=True)
