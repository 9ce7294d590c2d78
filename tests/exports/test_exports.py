"""Exported models of many architectures: their values, what the linter says, and what runs without compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import irrun.model
from irrun.linter import lint
from irrun.model.compiled import Compiled
from irrun.runtime.lowering.builder import Interpreted
from tests.exports.archives import NAMES, Export
from tests.exports.reasons import KNOWN

openvino = pytest.importorskip("openvino")

LATENCY = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
TOLERANCE = 2e-4
"""Of the largest magnitude of an output."""


@pytest.fixture(scope="module")
def compiled(export: Export) -> Compiled:
    return irrun.model.build(irrun.model.load(export.path), {"TIER": "compiled"})


def test_architectures() -> None:
    assert len(NAMES) >= 150


def test_values_agree_with_openvino(export: Export, compiled: Compiled) -> None:
    expected = openvino.Core().compile_model(export.path, "CPU", LATENCY)(export.inputs).to_tuple()
    session = compiled.session()
    for _ in range(2):
        for ours, theirs in zip(session.run(export.inputs).to_tuple(), expected, strict=True):
            assert ours.shape == theirs.shape
            least = TOLERANCE * np.abs(theirs).max(initial=1e-3)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=least)


def test_linter_is_silent(export: Export) -> None:
    assert list(lint(export.path)) == []


def test_steps_are_compiled(export: Export, compiled: Compiled) -> None:
    compiled.session().run(export.inputs)
    unknown = [reason for reason in interpreted(compiled) if reason.partition(":")[0] not in KNOWN]
    assert unknown == []


def interpreted(compiled: Compiled) -> Iterator[str]:
    """The steps that run on NumPy, each with the reason."""
    for lowered in compiled.tiers._lowered.values():
        assert lowered.runner is not None
        for program in lowered.runner.programs:
            for item in (*program.preludes[0], *program.preludes[1], *program.items):
                if isinstance(item, Interpreted) and not item.is_part:
                    yield f"{type(item.step.node.op).__name__}: {item.reason}"


def test_reasons_are_sorted_and_said() -> None:
    assert list(KNOWN) == sorted(KNOWN)
    assert all(KNOWN.values())
