"""The same calls on OpenVINO and on irrun."""

from __future__ import annotations

import pkgutil
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import irrun.openvino
import tests.openvino as package
from tests.engines import need
from tests.openvino.comparing import Check, outcome
from tests.openvino.departures import DEPARTURES
from tests.plugins.tiers import Tier

openvino = need("openvino")

SUBJECTS = [name for _, name, _ in pkgutil.iter_modules(package.__path__) if not name.startswith("test_")]
FOUND: dict[str, dict[str, Check]] = {
    subject: getattr(import_module(f"{package.__name__}.{subject}"), "CHECKS", {}) for subject in SUBJECTS
}
CHECKS = {subject: checks for subject, checks in FOUND.items() if checks}
LEAST_ALIKE = 0.98
SHARE = 4
"""One in so many checks is in the quick tier."""


@pytest.mark.parametrize("subject", CHECKS)
def test_alike(
    subject: str, tier: Tier, subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # OpenVINO writes compiled models into the current folder for some values of CACHE_DIR.
    monkeypatch.chdir(tmp_path)
    checks = CHECKS[subject]
    names = tier.part(list(checks), len(checks) // SHARE)
    assert names
    for name in names:
        with subtests.test(check=name), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = outcome(checks[name], openvino), outcome(checks[name], irrun.openvino)
            assert (ours != theirs) == (name in DEPARTURES), f"{name}: OpenVINO {theirs!r}, irrun {ours!r}"


def test_enough_are_alike() -> None:
    names = [name for checks in CHECKS.values() for name in checks]
    assert len(names) == len(set(names)), "two checks have the same name"
    assert set(DEPARTURES) <= set(names)
    assert len(names) >= 1000
    assert 1 - len(DEPARTURES) / len(names) >= LEAST_ALIKE
