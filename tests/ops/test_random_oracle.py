"""Random cases: against OpenVINO's CPU plugin, in every form of the model, and as OpenVINO writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import irrun.model
from irrun.inference.fold import fold
from irrun.ops.calling import infer, run
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array, Dim, ElementType, Fact, Shape
from tests import cases
from tests.cases import Case
from tests.engines import need
from tests.lab import oracle
from tests.ops import harness, joined, random_cases
from tests.ops.each import FAULTS, for_each, group
from tests.plugins.tiers import Campaign

SPECIAL_NUMBERS = "IR601"
"""The finding about constants that are NaN or infinite; random constants may be either on purpose."""

PARTS = 6
"""The cases that are parts of a model for OpenVINO. If it refuses one of them, it refuses the model."""

HALVES = {
    half: names
    for half, first in (("A to L", True), ("M to Z", False))
    if (names := [name for name in random_cases.names() if (name < "M") == first])
}


class Draw(NamedTuple):
    """A generator and a seed."""

    name: str
    seed: int

    @property
    def case(self) -> Case:
        return random_cases.draw(*self)


def draws(half: str, seed: int) -> list[Draw]:
    return [Draw(name, seed) for name in HALVES[half]]


def expect(got: list[Array], want: list[Array], case: Case, rtol: float | None = None) -> None:
    harness.expect(got, replace(case, expected=want), rtol, rtol)
    assert [array.dtype for array in got] == [array.dtype for array in want]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="OpenVINO may crash, and there is no fork")
@pytest.mark.parametrize("half", HALVES, ids=group)
def test_openvino_agrees(half: str, campaign: Campaign, subtests: pytest.Subtests, tmp_path: Path) -> None:
    """Cases that do not agree as parts of a model are asked again, alone."""
    need("openvino")
    for seed in campaign.draws(1, 2):
        drawn, root = draws(half, seed), tmp_path / str(seed)
        parts = {root / f"{first}": drawn[first : first + PARTS] for first in range(0, len(drawn), PARTS)}
        again = list(differing(parts))
        ask({root / draw.name: [draw] for draw in again})
        for_each(subtests, again, partial(openvino_agrees_on_it, root))
        refused = [draw for draw in again if oracle.answer(root / draw.name).refused]
        assert len(refused) < len(drawn) / 2 or cases.ONLY


def ask(models: dict[Path, list[Draw]], *, shared: bool = False) -> None:
    """Let OpenVINO run and rewrite the models of draws."""
    for folder, drawn in models.items():
        joined.write([draw.case for draw in drawn], folder)
        (folder / "rewrite").touch()
    oracle.ask(models, shared=shared)


def differing(parts: dict[Path, list[Draw]]) -> Iterator[Draw]:
    """Yield the draws of models that OpenVINO does not run, or does not agree on."""
    ask(parts, shared=True)
    for folder, drawn in parts.items():
        try:
            assert not oracle.answer(folder).refused
            openvino_agrees(drawn, folder)
        except FAULTS:
            yield from drawn


def openvino_agrees_on_it(root: Path, draw: Draw) -> None:
    openvino_agrees([draw], root / draw.name)


def openvino_agrees(drawn: Sequence[Draw], folder: Path) -> None:
    """Compare the results, if OpenVINO runs the model, and lint what it writes, if it reads it."""
    if (folder / "written.xml").exists():
        report = irrun.lint(folder / "written.xml")
        assert [item.message for item in report if item.code != SPECIAL_NUMBERS] == []
    if oracle.answer(folder).refused:
        return
    got = computed(irrun.model.load(folder / "model.xml"), oracle.load(folder / "inputs.npz"), OPTIMIZE=False)
    given = [draw.case for draw in drawn]
    for case, answer in zip(given, joined.answers(given, folder), strict=True):
        types = map(ElementType.named, answer.types)
        want = [array.astype(type.external) for array, type in zip(answer.outputs, types, strict=True)]
        expect(got[: len(want)], want, case)
        del got[: len(want)]
    assert got == []


def computed(model: Any, inputs: Sequence[Array], **config: Any) -> list[Array]:
    return list(irrun.model.build(model, config)(list(inputs)).values())


@pytest.mark.parametrize("half", HALVES, ids=group)
def test_every_form_gives_the_same(half: str, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for seed in campaign.draws(1, 2):
        for_each(subtests, draws(half, seed), every_form_gives_the_same)


def every_form_gives_the_same(draw: Draw) -> None:
    case = draw.case
    ir, parameters = harness.model(case, constants=case.constant or ())
    inputs = [array for index in parameters if (array := case.inputs[index]) is not None]
    loaded = irrun.model.load(ir.text.encode(), ir.weights)
    want = computed(loaded, inputs, OPTIMIZE=False)
    expect(computed(loaded, inputs), want, case, 1e-5)
    if has_kernels():
        expect(computed(loaded, inputs, TIER="compiled"), want, case, case.rtol)
    ir, _ = harness.model(case, dynamic=True, constants=case.constant or ())
    expect(computed(irrun.model.load(ir.text.encode(), ir.weights), inputs), want, case, 1e-5)


@pytest.mark.parametrize("half", HALVES, ids=group)
def test_the_output_lies_in_what_is_inferred(half: str, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for seed in campaign.draws(1, 2):
        for_each(subtests, draws(half, seed), lies_in_what_is_inferred)


def lies_in_what_is_inferred(draw: Draw) -> None:
    case = draw.case
    op, known = harness.operation(case), [fact for fact in harness.facts(case) if fact is not None]
    count = len(case.expected)
    outputs = run(op, case.inputs, [fact.type for fact in infer(op, known, output_count=count)])
    random = np.random.default_rng(0)
    for _ in range(4):
        seen = [hidden(fact, random) for fact in known]
        for fact, output in zip(fold(op, seen, infer(op, seen, output_count=count)), outputs, strict=True):
            assert fact.shape.admits(output.shape), f"{output.shape} does not lie in {fact!r}; the inputs are {seen}"


def hidden(fact: Fact, random: np.random.Generator) -> Fact:
    """Return the fact without its value, or with some dims unknown or within bounds, or without its rank."""
    choice = random.random()
    if choice < 0.3:
        return fact
    if choice < 0.4:
        return Fact(fact.type, Shape.unknown())
    dims = []
    for dim in fact.shape:
        kind = random.random()
        near = Dim(max(dim.lo - int(random.integers(4)), 0), dim.hi + int(random.integers(4)))
        dims.append(Dim() if kind < 0.2 else near if kind < 0.5 else dim)
    return Fact(fact.type, Shape(dims))
