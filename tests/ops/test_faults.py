"""Faults that any operation can have, planted in a model of it: each results in one finding, at its place."""

from __future__ import annotations

import re
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest

import irrun
from irrun.ops import OpError
from irrun.ops.attributes import AttrSpec
from irrun.ops.calling import infer
from irrun.ops.infrastructure.const import Const
from irrun.ops.infrastructure.parameter import Parameter
from irrun.ops.movement.slice import Slice
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import ANY, BOOLEAN, F32, I32, STRING
from tests.cases import Case, all_cases
from tests.ops import harness


def one_case_each() -> list[Case]:
    """Return the first case of each operation that an IR can express."""
    found: dict[tuple[str, int | str], Case] = {}
    for case in all_cases():
        if case.inputs and all(array is not None for array in case.inputs):
            found.setdefault((case.type, case.opset), case)
    return list(found.values())


CASES = one_case_each()


def written(case: Case, folder: Path) -> Path:
    ir, _ = harness.model(case)
    ir.save(folder / "model.xml")
    assert [item.message for item in irrun.lint(folder / "model.xml") if item.severity > 0] == []
    return folder / "model.xml"


def planted(path: Path, case: Case, old: str, new: str) -> irrun.Diagnostic:
    """Return the only finding of the file after a change inside the ``<data>`` of the layer."""
    text = path.read_text(encoding="utf-8")
    head, layer, rest = re.split(rf'(?=<layer [^>]*type="{case.type}")|(?<=/>)(?=\s*<input>)', text, maxsplit=2)[:3]
    assert old in layer, (old, layer)
    path.write_text(head + layer.replace(old, new, 1) + rest, encoding="utf-8")
    found = [item for item in irrun.lint(path) if item.severity > 0]
    assert len(found) == 1, [item.message for item in found]
    assert found[0].layer is not None
    assert found[0].layer.type == case.type
    return found[0]


def attributes(kinds: set[str] | None = None, required: bool | None = None) -> list[tuple[Case, AttrSpec]]:
    pairs = []
    for case in CASES:
        present = harness.written(harness.operation(case))
        pairs += [
            (case, spec)
            for spec in harness.declaration(case).spec.attributes
            if spec.name in present
            and (kinds is None or spec.kind in kinds)
            and (required is None or spec.required == required)
        ]
    return pairs


def label(value: object) -> str:
    return value.name if isinstance(value, AttrSpec) else str(value)


@pytest.mark.parametrize(("case", "spec"), attributes(), ids=label)
def test_misspelt_attribute(case: Case, spec: AttrSpec, tmp_path: Path) -> None:
    found = planted(written(case, tmp_path), case, f' {spec.name}="', f' {spec.name}z="')
    assert found.code == "IR302"
    assert found.message == f"{case.type} has no attribute {spec.name}z; did you mean {spec.name}?"


@pytest.mark.parametrize(
    ("case", "spec"),
    attributes({"int", "float", "bool", "enum", "ints", "floats", "type"}),
    ids=label,
)
def test_unreadable_attribute(case: Case, spec: AttrSpec, tmp_path: Path) -> None:
    value = harness.written(harness.operation(case))[spec.name]
    found = planted(written(case, tmp_path), case, f' {spec.name}="{escape(value)}"', f' {spec.name}="@"')
    assert found.code == "IR305"
    assert found.message.startswith(f'{spec.name}="@" is not ')


@pytest.mark.parametrize(("case", "spec"), attributes(required=True), ids=label)
def test_missing_attribute(case: Case, spec: AttrSpec, tmp_path: Path) -> None:
    value = harness.written(harness.operation(case))[spec.name]
    found = planted(written(case, tmp_path), case, f' {spec.name}="{escape(value)}"', "")
    assert found.code == "IR303"
    assert spec.name in found.message


@pytest.mark.parametrize("case", CASES, ids=str)
def test_wrong_number_of_inputs(case: Case) -> None:
    op = harness.operation(case)
    known = [fact for fact in harness.facts(case) if fact is not None]
    most, least = op.spec.most_inputs, op.spec.least_inputs
    if most is not None:
        with pytest.raises(OpError, match=f"{case.type} has {most + 1} inputs?, expected"):
            infer(op, [*known, *([known[-1]] * (most + 1 - len(known)))])
    if least > 0:
        with pytest.raises(OpError, match=f"{case.type} has {least - 1} inputs?, expected"):
            infer(op, known[: least - 1])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_wrong_type(case: Case) -> None:
    op = harness.operation(case)
    tried = 0
    for index, fact in enumerate(harness.facts(case)):
        port = op.spec.input(index)
        among = getattr(port.type, "among", port.type)
        among = among if isinstance(among, frozenset) else {among}
        refused = next((kind for kind in (STRING, BOOLEAN, F32, I32) if kind in ANY and kind not in among), None)
        if fact is None or refused is None:
            continue
        known = harness.facts(case)
        known[index] = Fact(refused, Shape(np.shape(case.inputs[index])))
        with pytest.raises(OpError, match=f"input {index} \\({re.escape(port.name)}\\) is {refused}, expected"):
            infer(op, known)
        tried += 1
    if not tried:
        pytest.skip("the operation takes any type")


def test_an_axis_given_twice_at_run_time() -> None:
    data, one = np.zeros((4, 5), np.float32), np.ones(2, np.int64)
    with pytest.raises(OpError, match=r"axes are \[0, -2\], expected each axis once"):
        Slice().run(data, 0 * one, one, one, np.array([0, -2]))


@pytest.mark.parametrize("shape", [(0, 2**62, 2**62), (2**62, 0, 2**62), (2**60, 0)])
def test_sizes_that_no_array_has(shape: tuple[int, ...]) -> None:
    with pytest.raises(OpError, match="no array has the shape"):
        infer(Parameter(element_type=F32, shape=Shape(shape)), [])
    with pytest.raises(OpError, match="no array has the shape"):
        Const(element_type=F32, shape=Shape(shape), offset=0, size=0)
