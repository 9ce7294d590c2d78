"""The same calls on OpenVINO and on irrun."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import irrun
from tests.api import (
    building,
    built_models,
    core,
    everyday_custom,
    everyday_edits,
    everyday_graphs,
    everyday_keywords,
    everyday_more,
    everyday_nodes,
    everyday_passes,
    everyday_pipelines,
    everyday_runs,
    everyday_settings,
    everyday_values,
    models,
    modules,
    nodes,
    preprocessing,
    requests,
    running,
    subgraphs,
    tensors,
    uncommon,
    values,
    variables,
    variables_set,
)
from tests.api.comparing import Check, outcome
from tests.api.departures import DEPARTURES

openvino = pytest.importorskip("openvino", reason="OpenVINO is compared with")

GROUPS: list[dict[str, Check]] = [
    module.CHECKS
    for module in (
        values,
        tensors,
        core,
        models,
        nodes,
        running,
        requests,
        variables,
        building,
        built_models,
        preprocessing,
        modules,
        subgraphs,
        everyday_custom,
        everyday_edits,
        everyday_graphs,
        everyday_keywords,
        everyday_more,
        everyday_nodes,
        everyday_passes,
        everyday_pipelines,
        everyday_runs,
        everyday_settings,
        everyday_values,
        uncommon,
        variables_set,
    )
]
CHECKS = {name: check for group in GROUPS for name, check in group.items()}
LEAST_ALIKE = 0.98


@pytest.mark.parametrize("name", CHECKS)
def test_alike(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # OpenVINO writes compiled models into the current folder for some values of CACHE_DIR.
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = outcome(CHECKS[name], openvino), outcome(CHECKS[name], irrun)
    assert (ours != theirs) == (name in DEPARTURES), f"{name}: OpenVINO {theirs!r}, irrun {ours!r}"


def test_enough_are_alike() -> None:
    assert len(CHECKS) == sum(map(len, GROUPS)), "two checks have the same name"
    assert set(DEPARTURES) <= set(CHECKS)
    assert len(CHECKS) >= 1000
    assert 1 - len(DEPARTURES) / len(CHECKS) >= LEAST_ALIKE
