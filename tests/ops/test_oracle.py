"""The operation cases in OpenVINO's CPU plugin: those without a departure must agree.

``tools/conformance.py`` runs those with a departure when it records the scoreboard.
"""

from __future__ import annotations

import os
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cases import AnyCase, all_cases, all_models
from tests.ops import harness
from tests.oracle.cases import ask, is_asked
from tools import conformance, records


def by_category() -> dict[str, list[AnyCase]]:
    found = defaultdict(list)
    for case in (*all_cases(), *all_models()):
        if is_asked(case) and not case.departs:
            found[harness.declaration(case).spec.category].append(case)
    return found


def of_processor(name: str) -> bool:
    """Return whether the plugin departs here, but not with AVX-512, where its answers were recorded."""
    return "avx512f" not in _flags() and (
        name.startswith("AvgPool-") or name in ("Atanh-4-unsigned", "SegmentMax-16-bf16")
    )


def _flags() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="OpenVINO may crash, and there is no fork")
@pytest.mark.parametrize("category", sorted(by_category()))
def test_agrees_with_the_native_plugin(category: str, tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="the OpenVINO wheel is not installed: there is no oracle")
    is_recorded = version("openvino") == records.read(conformance.RECORD)["openvino"]
    replies = ask(by_category()[category], tmp_path)
    wrong = {
        name: reply
        for name, reply in replies.items()
        if reply.outcome != "agrees" and (is_recorded or reply.outcome != "refuses") and not of_processor(name)
    }
    assert wrong == {}
