"""The same calls on OpenVINO and on irrun."""

from __future__ import annotations

import pkgutil
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import irrun.openvino
import tests.openvino as package
from tests.openvino.comparing import Check, outcome
from tests.openvino.departures import DEPARTURES

openvino = pytest.importorskip("openvino", reason="OpenVINO is compared with")

SUBJECTS = [name for _, name, _ in pkgutil.iter_modules(package.__path__) if not name.startswith("test_")]
GROUPS: list[dict[str, Check]] = [
    getattr(import_module(f"{package.__name__}.{subject}"), "CHECKS", {}) for subject in SUBJECTS
]
CHECKS = {name: check for group in GROUPS for name, check in group.items()}
LEAST_ALIKE = 0.98


@pytest.mark.parametrize("name", CHECKS)
def test_alike(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # OpenVINO writes compiled models into the current folder for some values of CACHE_DIR.
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = outcome(CHECKS[name], openvino), outcome(CHECKS[name], irrun.openvino)
    assert (ours != theirs) == (name in DEPARTURES), f"{name}: OpenVINO {theirs!r}, irrun {ours!r}"


def test_enough_are_alike() -> None:
    assert len(CHECKS) == sum(map(len, GROUPS)), "two checks have the same name"
    assert set(DEPARTURES) <= set(CHECKS)
    assert len(CHECKS) >= 1000
    assert 1 - len(DEPARTURES) / len(CHECKS) >= LEAST_ALIKE
