"""Faults that any operation can have, planted in a model of it: each results in one finding, at its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
import pytest

import irrun
from irrun.document.writer import Writer
from irrun.ops import OpError
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops._declared.movement.slice import Slice
from irrun.ops.attributes import AttrSpec
from irrun.ops.calling import infer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import ANY, BOOLEAN, F32, I32, STRING
from tests import cases
from tests.cases import Case, all_cases, by_type
from tests.nets import written
from tests.ops import harness
from tests.ops.each import for_each, together


def one_case_each() -> list[Case]:
    """Return the first case of each operation that an IR can express."""
    found: dict[tuple[str, int | str], Case] = {}
    for case in all_cases():
        if case.inputs and all(array is not None for array in case.inputs):
            found.setdefault((case.type, case.opset), case)
    return list(found.values())


CASES = by_type(one_case_each())
READABLE: Final = {"int", "float", "bool", "enum", "ints", "floats", "type"}
"""Kinds of attributes for which some texts are unreadable."""


class Fault(NamedTuple):
    """A change of the text of a layer, and its finding."""

    case: Case
    old: str
    new: str
    code: str
    message: str
    """A pattern of the whole message."""

    def __str__(self) -> str:
        return f"{self.case}{self.old} ->{self.new}"


def misspelt(case: Case, spec: AttrSpec, _: str) -> Fault:
    message = f"{case.type} has no attribute {spec.name}z; did you mean {spec.name}?"
    return Fault(case, f' {spec.name}="', f' {spec.name}z="', "IR302", re.escape(message))


def unreadable(case: Case, spec: AttrSpec, value: str) -> Fault:
    text = f' {spec.name}="@"'
    return Fault(case, f' {spec.name}="{escape(value)}"', text, "IR305", re.escape(f"{text[1:]} is not ") + ".*")


def missing(case: Case, spec: AttrSpec, value: str) -> Fault:
    return Fault(case, f' {spec.name}="{escape(value)}"', "", "IR303", f".*{re.escape(spec.name)}.*")


def faults_of_attributes(case: Case) -> Iterator[Fault]:
    present = written(harness.operation(case))
    for spec in harness.declaration(case).spec.attributes:
        if spec.name in present:
            yield misspelt(case, spec, present[spec.name])
            if spec.kind in READABLE:
                yield unreadable(case, spec, present[spec.name])
            if spec.required:
                yield missing(case, spec, present[spec.name])


FAULTS = {
    type: found for type, cases in CASES.items() if (found := [f for case in cases for f in faults_of_attributes(case)])
}


def test_all_kinds_of_faults_are_planted() -> None:
    count = Counter(fault.code for faults in FAULTS.values() for fault in faults)
    assert {*count} == {"IR302", "IR303", "IR305"} or cases.ONLY


@pytest.mark.parametrize("type", FAULTS)
def test_faults_of_attributes(type: str, subtests: pytest.Subtests, tmp_path: Path) -> None:
    together(subtests, FAULTS[type], lambda faults: found_at_their_places(faults, tmp_path / "model.xml"))


def found_at_their_places(faults: Sequence[Fault], path: Path) -> None:
    """Plant each fault in a part of its own of a model, and compare the findings."""
    ir = Writer(faults[0].case.type)
    for number, fault in enumerate(faults):
        harness.part(ir, fault.case, f"{number}-")
    head, *layers = re.split(rf'(?=<layer [^>]*type="{faults[0].case.type}")', ir.text)
    planted = {}
    for number, (fault, text) in enumerate(zip(faults, layers, strict=True)):
        layer, rest = re.split(r"(?<=/>)(?=\s*<input>)", text, maxsplit=1)
        assert fault.old in layer, (fault.old, layer)
        layers[number] = layer.replace(fault.old, fault.new, 1) + rest
        planted[layer.split('"', 2)[1]] = fault
    ir.save(path)
    path.write_text(head + "".join(layers), encoding="utf-8")
    found = [item for item in irrun.lint(path) if item.severity > 0]
    layers_found = [str(item.layer.id) for item in found if item.layer is not None]
    assert sorted(layers_found) == sorted(planted), [item.message for item in found]
    for item in found:
        assert item.layer is not None
        fault = planted[str(item.layer.id)]
        assert (item.code, item.layer.type) == (fault.code, fault.case.type)
        assert re.fullmatch(fault.message, item.message), (item.message, fault.message)


@pytest.mark.parametrize("type", CASES)
def test_wrong_inputs(type: str, subtests: pytest.Subtests) -> None:
    for_each(subtests, CASES[type], wrong_number_of_inputs)
    for_each(subtests, CASES[type], wrong_types)


def wrong_number_of_inputs(case: Case) -> None:
    op = harness.operation(case)
    known = [fact for fact in harness.facts(case) if fact is not None]
    most, least = op.spec.most_inputs, op.spec.least_inputs
    if most is not None:
        with pytest.raises(OpError, match=f"{case.type} has {most + 1} inputs?, expected"):
            infer(op, [*known, *([known[-1]] * (most + 1 - len(known)))])
    if least > 0:
        with pytest.raises(OpError, match=f"{case.type} has {least - 1} inputs?, expected"):
            infer(op, known[: least - 1])


def wrong_types(case: Case) -> None:
    op = harness.operation(case)
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
