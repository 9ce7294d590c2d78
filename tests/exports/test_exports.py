"""Exported models of many architectures: their values, what the linter says, and what runs without compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import irrun.model
from irrun.linter import lint
from irrun.model.compiled import Compiled
from irrun.runtime.view import Interpreted
from tests.engines import need
from tests.exports.archives import NAMES, Export
from tests.exports.reasons import KNOWN

openvino = need("openvino")

LATENCY = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
TOLERANCE = 2e-4
"""Of the largest magnitude of an output."""


def test_architectures() -> None:
    assert len(NAMES) >= 150


@pytest.mark.sample(8)
def test_an_export(export: Export, subtests: pytest.Subtests) -> None:
    with subtests.test("the linter is silent"):
        assert list(lint(export.path)) == []
    with subtests.test("nothing is said of shapes that constants decide, where there are none"):
        alone = export.path.with_name("alone.xml")
        alone.write_bytes(export.path.read_bytes())
        assert [found.code for found in lint(alone)] == ["IR504"]
    compiled = irrun.model.build(irrun.model.load(export.path), {"TIER": "compiled"})
    with subtests.test("values agree with OpenVINO"):
        values_agree(export, compiled)
    with subtests.test("steps are compiled"):
        compiled.session().run(export.inputs)
        unknown = [reason for reason in interpreted(compiled) if reason.partition(":")[0] not in KNOWN]
        assert unknown == []


def values_agree(export: Export, compiled: Compiled) -> None:
    expected = openvino.Core().compile_model(export.path, "CPU", LATENCY)(export.inputs).to_tuple()
    session = compiled.session()
    for _ in range(2):
        for ours, theirs in zip(session.run(export.inputs).to_tuple(), expected, strict=True):
            assert ours.shape == theirs.shape
            least = TOLERANCE * np.abs(theirs).max(initial=1e-3)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=least)


def interpreted(compiled: Compiled) -> Iterator[str]:
    """The steps that run on NumPy, each with the reason."""
    for programs in compiled.executor.programs:
        for program in programs:
            for item in (*program.preludes[0], *program.preludes[1], *program.items):
                if isinstance(item, Interpreted) and not item.is_part:
                    yield f"{type(item.step.node.op).__name__}: {item.reason}"


def test_reasons_are_sorted_and_said() -> None:
    assert list(KNOWN) == sorted(KNOWN)
    assert all(KNOWN.values())
