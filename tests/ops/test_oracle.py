"""The operation cases in OpenVINO's CPU plugin: those without a departure must agree.

``python -m tests.lab conformance`` runs those with a departure when it records the scoreboard.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cases import AnyCase, Case, all_cases, all_models, by_type
from tests.engines import need
from tests.lab import oracle, records
from tests.lab.conformance.record import RECORD
from tests.lab.oracle.cases import ask, is_asked, reply
from tests.ops import harness
from tests.ops.each import group
from tests.ops.joined import answers, write


def by_category() -> dict[str, list[AnyCase]]:
    found: dict[str, list[AnyCase]] = defaultdict(list)
    everything: list[AnyCase] = [*all_cases(), *all_models()]
    for case in everything:
        if is_asked(case) and not case.departs:
            found[harness.declaration(case).spec.category].append(case)
    return found


BY_CATEGORY = by_category()


def of_processor(name: str) -> bool:
    """Return whether the plugin departs here, but not with AVX-512, where its answers were recorded."""
    return "avx512f" not in _flags() and (
        name.startswith("AvgPool-") or name in ("Atanh-4-unsigned", "SegmentMax-16-bf16")
    )


def _flags() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def answered_together(cases: Iterable[AnyCase], root: Path) -> Iterator[AnyCase]:
    """Yield the cases that agree where those of each operation are parts of one model."""
    joined = by_type(case for case in cases if isinstance(case, Case))
    for type, of_type in joined.items():
        write(of_type, root / type)
    oracle.ask([root / type for type in joined], shared=True)
    for type, of_type in joined.items():
        for case, answer in zip(of_type, answers(of_type, root / type), strict=False):
            if reply(case, answer).outcome == "agrees":
                yield case


@pytest.mark.sample(12)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="OpenVINO may crash, and there is no fork")
@pytest.mark.parametrize("category", sorted(BY_CATEGORY), ids=group)
def test_agrees_with_the_native_plugin(category: str, tmp_path: Path) -> None:
    """Cases that do not agree as parts of a model are asked again, alone."""
    need("openvino")
    is_recorded = version("openvino") == records.read(RECORD)["openvino"]
    agree = {str(case) for case in answered_together(BY_CATEGORY[category], tmp_path / "joined")}
    replies = ask([case for case in BY_CATEGORY[category] if str(case) not in agree], tmp_path)
    wrong = {
        name: reply
        for name, reply in replies.items()
        if reply.outcome != "agrees" and (is_recorded or reply.outcome != "refuses") and not of_processor(name)
    }
    assert wrong == {}
