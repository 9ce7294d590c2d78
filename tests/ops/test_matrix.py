"""Every operation case in every form: kernel alone, hidden sizes, model, constants, half precision.

The forms are models that hold the cases of an operation as disconnected parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.inference.fold import fold
from irrun.ops.calling import infer, run
from irrun.tensor import DYNAMIC, Array, Fact
from irrun.tensor.element_type import F16, F32
from tests.cases import Case, all_cases, by_type
from tests.ops import harness, own_operations
from tests.ops.each import for_each, together
from tests.plugins.tiers import Tier

CASES = by_type([*all_cases(), *own_operations.CASES])
FORMS: Final = ("parameters", "constants", "dynamic")

LARGEST_HALF: Final = 60000
"""Values beyond it are not rounded to f16."""


class Form(NamedTuple):
    """A case, and how a model holds its inputs."""

    case: Case
    name: str

    def __str__(self) -> str:
        return f"{self.case} {self.name}"


def in_an_ir(case: Case) -> bool:
    """Return whether an IR can hold the inputs: it has no place for an absent input before a given one."""
    return all(array is not None for array in case.inputs[:-1])


def forms(cases: Sequence[Case]) -> list[Form]:
    """Return all forms of the cases, of each case together, and first for each case another."""
    found = []
    for number, case in enumerate(cases):
        names = [FORMS[(number + turn) % len(FORMS)] for turn in range(len(FORMS))]
        found += [Form(case, name) for name in names if case.inputs or name == "constants"]
    return found


def is_rounded(case: Case) -> bool:
    """Return whether a case has f32 inputs, and all may be f16."""
    types, spec = harness.element_types(case), harness.declaration(case).spec
    singles = [index for index, type in enumerate(types) if type is F32]
    arrays = [array for array in case.inputs if array is not None and array.dtype == np.float32]
    return (
        bool(singles)
        and not case.types
        and in_an_ir(case)
        and not any(spec.input(index).type is F32 for index in singles)
        and not any(np.abs(array[np.isfinite(array)]).max(initial=0) > LARGEST_HALF for array in arrays)
    )


IN_MODELS = by_type(case for cases in CASES.values() for case in cases if in_an_ir(case))
ROUNDED = by_type(case for cases in CASES.values() for case in cases if is_rounded(case))


@pytest.mark.parametrize("type", CASES)
def test_kernel_alone(type: str, subtests: pytest.Subtests) -> None:
    for_each(subtests, CASES[type], kernel_alone)


def kernel_alone(case: Case) -> None:
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


@pytest.mark.parametrize("type", CASES)
def test_soundness(type: str, subtests: pytest.Subtests) -> None:
    """The real output is within the inferred fact, whatever is hidden of the inputs."""
    cases = [case for case in CASES[type] if "state" not in harness.operation(case).spec.run_asks]
    for hidden in ("nothing", "values", "sizes"):
        for_each(subtests, cases, partial(sound, hidden))


def sound(hidden: str, case: Case) -> None:
    op = harness.operation(case)
    known = harness.facts(case, values=hidden == "nothing", sizes=hidden != "sizes")
    outputs = fold(op, known, infer(op, known, output_count=len(case.expected)))
    for fact, want in zip(outputs, case.expected, strict=True):
        if fact.constant is not None and want.dtype.kind == "f":
            assert fact.shape.admits(want.shape)
            assert fact.type.dtype == want.dtype
            continue
        assert fact.admits(want), f"{want.dtype}{want.shape} does not lie in {fact!r}; hidden: {hidden}"


@pytest.mark.parametrize("type", IN_MODELS)
def test_as_a_model(type: str, tier: Tier, subtests: pytest.Subtests, tmp_path: Path) -> None:
    """In the quick tier, each case has one form."""
    cases = IN_MODELS[type]
    together(subtests, tier.part(forms(cases), len(cases)), lambda chosen: as_a_model(chosen, tmp_path / "model.xml"))


def as_a_model(chosen: Sequence[Form], path: Path) -> None:
    ir = Writer(chosen[0].case.type)
    inputs: dict[str, Array | None] = {}
    for number, (case, form) in enumerate(chosen):
        constants = range(1, len(case.inputs)) if form == "constants" else ()
        parameters = harness.part(ir, case, f"{number}-", dynamic=form == "dynamic", constants=constants)
        inputs |= {f"{number}-in{index}": case.inputs[index] for index in parameters}
    ir.save(path)
    report = irrun.lint(path, extensions=harness.EXTENSIONS)
    assert [item.message for item in report if item.severity > 0 and item.code not in ("IR601", "IR608", "IR611")] == []
    compiled = irrun.model.build(irrun.model.load(path, extensions=harness.EXTENSIONS))
    outputs = list(compiled(inputs).values())
    for case, _ in chosen:
        harness.expect(outputs[: len(case.expected)], case)
        del outputs[: len(case.expected)]
    assert outputs == []


@pytest.mark.parametrize("type", ROUNDED)
def test_half_precision(type: str, tier: Tier, subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases = tier.part(ROUNDED[type], -(-len(ROUNDED[type]) // 3))
    together(subtests, cases, lambda chosen: half_precision(chosen, tmp_path / "model.xml"))


def half_precision(cases: Sequence[Case], path: Path) -> None:
    ir = Writer(cases[0].type)
    inputs: dict[str, Array | None] = {}
    for number, case in enumerate(cases):
        rounded = halves(case)
        parameters = harness.part(ir, case, f"{number}-", half=True)
        inputs |= {f"{number}-in{index}": rounded[index] for index in parameters}
    ir.save(path)
    compiled = irrun.model.build(irrun.model.load(path, extensions=harness.EXTENSIONS))
    got = list(compiled(inputs).values())
    want = [output for case in cases for output in in_half_precision(case)]
    for array, (reference, fact) in zip(got, want, strict=True):
        assert array.dtype == fact.type.external
        np.testing.assert_array_equal(array.astype(reference.dtype), reference)


def halves(case: Case) -> list[Array | None]:
    """Return the inputs with f16 for f32."""
    return [
        array.astype(np.float16) if array is not None and type is F32 else array
        for array, type in zip(case.inputs, harness.element_types(case), strict=True)
    ]


def in_half_precision(case: Case) -> list[tuple[Array, Fact]]:
    """Return the outputs of the kernel and their facts for inputs that are f16."""
    op = harness.operation(case)
    rounded = [
        array.astype(np.float32) if array is not None and array.dtype == np.float16 else array for array in halves(case)
    ]
    known = [
        None if fact is None else Fact(F16 if fact.type is F32 else fact.type, fact.shape, array)
        for fact, array in zip(harness.facts(case), rounded, strict=True)
    ]
    outputs = infer(op, known, output_count=len(case.expected))
    unknown = [fact and Fact(fact.type, fact.shape) for fact in known]
    want = run(op, rounded, [fact.type for fact in outputs], facts=unknown)
    return list(zip(want, outputs, strict=True))
