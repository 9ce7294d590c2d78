"""Random cases: against OpenVINO's CPU plugin, in every form of the model, and as OpenVINO writes them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.inference.fold import fold
from irrun.ops.calling import infer, run
from irrun.tensor import Array, Dim, Fact, Shape
from tests.cases import Case
from tests.ops import harness, random_cases

WORKER = Path(__file__).with_name("random_worker.py")
SEEDS = range(2)
CASES = {f"{name}-{seed}": random_cases.draw(name, seed) for name in random_cases.names() for seed in SEEDS}
SPECIAL_NUMBERS = "IR601"
"""The finding about constants that are NaN or infinite, which random ones are meant to be."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The model and the inputs of every case, in a folder each."""
    root = tmp_path_factory.mktemp("random")
    found = {}
    for name, case in CASES.items():
        found[name] = root / name
        found[name].mkdir()
        ir, parameters = harness.model(case, constants=case.constant)
        ir.save(found[name] / "model.xml")
        np.savez(found[name] / "inputs.npz", **{f"in{index}": given(case, index) for index in parameters})
    return found


@pytest.fixture(scope="module")
def answered(folders: dict[str, Path]) -> dict[str, Path]:
    """The same, after OpenVINO has written every model and run it; after a crash it goes on with the next one."""
    pytest.importorskip("openvino", reason="the OpenVINO wheel is not installed: there is no oracle")
    waiting = list(folders.values())
    while waiting:
        subprocess.run([sys.executable, str(WORKER), *map(str, waiting)], check=False, capture_output=True)
        waiting = [folder for folder in waiting if not (folder / "begun").exists()]
    return folders


def given(case: Case, index: int) -> Array:
    """An input in the type of the Python API."""
    array = case.inputs[index]
    assert array is not None
    return array.astype(np.float16) if case.types.get(index) == "f16" else array


def inputs(folder: Path) -> dict[str, Array]:
    with np.load(folder / "inputs.npz") as data:
        return {name: data[name] for name in data.files}


def computed(path: Path, **config: Any) -> list[Array]:
    return list(irrun.compile_model(irrun.read_model(path), config)(inputs(path.parent)).values())


def expect(got: list[Array], want: list[Array], case: Case, rtol: float | None = None) -> None:
    harness.expect(got, replace(case, expected=want), rtol, rtol)
    assert [array.dtype for array in got] == [array.dtype for array in want]


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_native_plugin(name: str, answered: dict[str, Path]) -> None:
    folder = answered[name]
    if (folder / "refused.json").exists():
        pytest.skip(f"the native plugin does not run this: {json.loads((folder / 'refused.json').read_text())[:120]}")
    if not (folder / "outputs.npz").exists():
        pytest.skip("the native plugin crashes")
    with np.load(folder / "outputs.npz") as data:
        want = [data[f"out{index}"] for index in range(len(data.files))]
    expect(computed(folder / "model.xml", OPTIMIZE=False), want, CASES[name])


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
    ir, _ = harness.model(case, dynamic=True, constants=case.constant)
    ir.save(folder / "dynamic.xml")
    expect(computed(folder / "dynamic.xml"), want, case, 1e-5)


@pytest.mark.parametrize("name", CASES)
def test_the_output_lies_in_what_is_inferred(name: str) -> None:
    case = CASES[name]
    op, known = harness.operation(case), [fact for fact in harness.facts(case) if fact is not None]
    outputs = run(op, case.inputs, [fact.type for fact in infer(op, known)])
    random = np.random.default_rng(0)
    for _ in range(4):
        seen = [hidden(fact, random) for fact in known]
        for fact, output in zip(fold(op, seen, infer(op, seen)), outputs, strict=True):
            assert fact.shape.admits(output.shape), f"{output.shape} does not lie in {fact!r}; the inputs are {seen}"


def hidden(fact: Fact, random: np.random.Generator) -> Fact:
    """The fact without its value, or with some dims unknown or within bounds, or without its rank."""
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
