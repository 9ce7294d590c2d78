"""Every operation case in every form: kernel alone, model, constants, hidden sizes, half precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.inference.fold import fold
from irrun.ops.calling import infer, run
from irrun.tensor import DYNAMIC
from irrun.tensor.element_type import F16, F32
from tests.cases import Case, all_cases
from tests.ops import harness, own_operations

CASES = [*all_cases(), *own_operations.CASES]


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_kernel_alone(case: Case) -> None:
    op = harness.operation(case)
    known = harness.facts(case)
    outputs = infer(op, known, output_count=len(case.expected))
    assert all(fact.type is not DYNAMIC for fact in outputs)
    before = [None if array is None else array.copy() for array in case.inputs]
    if "state" not in op.spec.run_asks:
        got = run(op, case.inputs, [fact.type for fact in outputs], facts=harness.facts(case, values=False))
        harness.expect(got, case)
    for array, kept in zip(case.inputs, before, strict=True):
        if array is not None and kept is not None:
            np.testing.assert_array_equal(array, kept, err_msg="an input was written to")


@pytest.mark.parametrize("form", ["parameters", "constants", "dynamic"])
def test_as_a_model(case: Case, form: str, tmp_path: Path) -> None:
    if any(array is None for array in case.inputs[:-1]):
        pytest.skip("an IR has no place for an absent input before a given one")
    constants = range(1, len(case.inputs)) if form == "constants" else ()
    if form != "constants" and len(case.inputs) == 0:
        pytest.skip("there is nothing to vary: the operation has no inputs")
    ir, parameters = harness.model(case, dynamic=form == "dynamic", constants=constants)
    ir.save(tmp_path / "model.xml")
    report = irrun.lint(tmp_path / "model.xml", extensions=harness.EXTENSIONS)
    assert [item.message for item in report if item.severity > 0 and item.code not in ("IR601", "IR608")] == []
    compiled = irrun.model.build(irrun.model.load(tmp_path / "model.xml", extensions=harness.EXTENSIONS))
    got = compiled({f"in{index}": case.inputs[index] for index in parameters})
    harness.expect(list(got.values()), case)


def test_half_precision(case: Case, tmp_path: Path) -> None:
    types = harness.element_types(case)
    if F32 not in types or case.types:
        pytest.skip("the case has no f32 input")
    if any(array is None for array in case.inputs[:-1]):
        pytest.skip("an IR has no place for an absent input before a given one")
    spec = harness.declaration(case).spec
    if any(type is F32 and spec.input(index).type is F32 for index, type in enumerate(types)):
        pytest.skip("the operation has an input of f32 only")
    if any(
        array.size and np.abs(array[np.isfinite(array)]).max(initial=0) > 60000
        for array in case.inputs
        if array is not None and array.dtype == np.float32
    ):
        pytest.skip("the values are beyond f16")
    ir, parameters = harness.model(case, half=True)
    ir.save(tmp_path / "model.xml")
    inputs = {
        f"in{index}": case.inputs[index].astype(np.float16) if types[index] is F32 else case.inputs[index]
        for index in parameters
        if case.inputs[index] is not None
    }
    op = harness.operation(case)
    rounded = [
        a.astype(np.float16).astype(np.float32) if a is not None and a.dtype == np.float32 else a for a in case.inputs
    ]
    known = [
        None if f is None else type(f)(F16 if f.type is F32 else f.type, f.shape, r)
        for f, r in zip(harness.facts(case), rounded, strict=True)
    ]
    outputs = infer(op, known, output_count=len(case.expected))
    unknown = [fact and type(fact)(fact.type, fact.shape) for fact in known]
    want = run(op, rounded, [fact.type for fact in outputs], facts=unknown)
    got = list(
        irrun.model.build(irrun.model.load(tmp_path / "model.xml", extensions=harness.EXTENSIONS))(inputs).values()
    )
    for array, reference, fact in zip(got, want, outputs, strict=True):
        assert array.dtype == fact.type.external
        np.testing.assert_array_equal(array.astype(reference.dtype), reference)


@pytest.mark.parametrize("hidden", ["nothing", "values", "sizes"])
def test_soundness(case: Case, hidden: str) -> None:
    """The real output is within the inferred fact, whatever is hidden of the inputs."""
    op = harness.operation(case)
    if "state" in op.spec.run_asks:
        pytest.skip("the output depends on the request")
    known = harness.facts(case, values=hidden == "nothing", sizes=hidden != "sizes")
    outputs = fold(op, known, infer(op, known, output_count=len(case.expected)))
    for fact, want in zip(outputs, case.expected, strict=True):
        if fact.constant is not None and want.dtype.kind == "f":
            assert fact.shape.admits(want.shape)
            assert fact.type.dtype == want.dtype
            continue
        assert fact.admits(want), f"{want.dtype}{want.shape} does not lie in {fact!r}"
