"""Random cases: against OpenVINO's CPU plugin, in every form of the model, and as OpenVINO writes them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.inference.fold import fold
from irrun.ops.calling import infer, run
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array, Dim, ElementType, Fact, Shape
from tests import oracle
from tests.cases import Case
from tests.ops import harness, random_cases

SEEDS = range(2)
CASES = {f"{name}-{seed}": random_cases.draw(name, seed) for name in random_cases.names() for seed in SEEDS}
SPECIAL_NUMBERS = "IR601"
"""The finding about constants that are NaN or infinite; random constants may be either on purpose."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the model and the inputs of every case into a folder each."""
    root = tmp_path_factory.mktemp("random")
    found = {}
    for name, case in CASES.items():
        found[name] = root / name
        found[name].mkdir()
        ir, parameters = harness.model(case, constants=case.constant or ())
        ir.save(found[name] / "model.xml")
        oracle.save(
            found[name] / "inputs.npz", [array for index in parameters if (array := case.inputs[index]) is not None]
        )
        (found[name] / "rewrite").touch()
    return found


@pytest.fixture(scope="module")
def answered(folders: dict[str, Path]) -> dict[str, Path]:
    """The same folders, after OpenVINO has run and rewritten every model."""
    pytest.importorskip("openvino", reason="the OpenVINO wheel is not installed: there is no oracle")
    if not hasattr(os, "fork"):
        pytest.skip("OpenVINO may crash, and there is no fork")
    oracle.ask(folders.values())
    return folders


def computed(path: Path, **config: Any) -> list[Array]:
    return list(irrun.model.build(irrun.model.load(path), config)(oracle.load(path.with_name("inputs.npz"))).values())


def expect(got: list[Array], want: list[Array], case: Case, rtol: float | None = None) -> None:
    harness.expect(got, replace(case, expected=want), rtol, rtol)
    assert [array.dtype for array in got] == [array.dtype for array in want]


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_native_plugin(name: str, answered: dict[str, Path]) -> None:
    answer = oracle.answer(answered[name])
    if answer.refused:
        pytest.skip(f"the native plugin does not run this: {answer.refused[-120:]}")
    types = map(ElementType.named, answer.types)
    want = [array.astype(type.external) for array, type in zip(answer.outputs, types, strict=True)]
    expect(computed(answered[name] / "model.xml", OPTIMIZE=False), want, CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_what_openvino_writes_has_no_finding(name: str, answered: dict[str, Path]) -> None:
    if not (answered[name] / "written.xml").exists():
        pytest.skip("OpenVINO does not read this")
    report = irrun.lint(answered[name] / "written.xml")
    assert [item.message for item in report if item.code != SPECIAL_NUMBERS] == []


@pytest.mark.parametrize("name", CASES)
def test_every_form_gives_the_same(name: str, folders: dict[str, Path]) -> None:
    case, folder = CASES[name], folders[name]
    want = computed(folder / "model.xml", OPTIMIZE=False)
    expect(computed(folder / "model.xml"), want, case, 1e-5)
    if has_kernels():
        expect(computed(folder / "model.xml", TIER="compiled"), want, case, case.rtol)
    ir, _ = harness.model(case, dynamic=True, constants=case.constant or ())
    ir.save(folder / "dynamic.xml")
    expect(computed(folder / "dynamic.xml"), want, case, 1e-5)


@pytest.mark.parametrize("name", CASES)
def test_the_output_lies_in_what_is_inferred(name: str) -> None:
    case = CASES[name]
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
