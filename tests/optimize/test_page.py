"""The page about passes does what it says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.optimize import pipeline, schedule
from irrun.optimize.passes import pool_values_only
from irrun.optimize.schedule import PASSES, ScheduledPass
from tests.optimize import test_exhaustive, test_small_passes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "anatomy-of-a-pass.md"
GENERAL, _, COMPLETE = PAGE.read_text(encoding="utf-8").partition("## The smallest complete example")
MODULE = "irrun.optimize.passes.cancel_negations"


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)


SOURCE, ENTRY, TEST, IDENTITY, ENUMERATION = blocks(COMPLETE)


def executed(source: str, module: ModuleType) -> dict[str, Any]:
    """Return the names of a module after source that a page adds to it, whose other entries are three dots."""
    scope = dict(vars(module))
    exec(source.replace("    ...\n", ""), scope)
    return scope


def entry(source: str) -> ScheduledPass:
    found = eval(source, vars(schedule))
    assert isinstance(found, ScheduledPass)
    return found


@pytest.fixture
def cancel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScheduledPass]:
    """The pass of the page, at its place in the order."""
    import irrun.optimize.passes

    (tmp_path / "cancel_negations.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(irrun.optimize.passes, "__path__", [*irrun.optimize.passes.__path__, str(tmp_path)])
    made = entry(ENTRY)
    at = 1 + next(index for index, item in enumerate(PASSES) if item.name in made.after)
    monkeypatch.setattr(pipeline, "PASSES", (*PASSES[:at], made, *PASSES[at:]))
    yield made
    sys.modules.pop(MODULE, None)


def test_two_negations_cancel(cancel: ScheduledPass, tmp_path: Path) -> None:
    executed(TEST, test_small_passes)["test_two_negations_cancel"](tmp_path)
    assert cancel.module().__name__ == MODULE
    assert all(part in (cancel.module().__doc__ or "") for part in ("Before:", "After:", "Proof:"))


def test_all_small_shapes(cancel: ScheduledPass, tmp_path: Path) -> None:
    (build,) = executed(ENUMERATION, test_exhaustive)["CASES"][cancel.name]
    count = 0
    for net, sizes in build():
        fast = net.compile(tmp_path, cancel.name, TIER="numpy")
        plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
        assert (len(fast.plan.steps), len(plain.plan.steps)) == (0, 2)
        inputs = net.inputs(sizes)
        np.testing.assert_array_equal(fast(inputs)[0], plain(inputs)[0])
        count += 1
    assert count == 2 + 4 + 8


def test_the_identity(cancel: ScheduledPass) -> None:
    pytest.importorskip("z3", reason="z3 proves the identity")
    from tests.optimize import test_identities

    (claim,) = executed(IDENTITY, test_identities)["IDENTITIES"][cancel.name]
    assert test_identities.contradiction(claim()) is None


def test_the_excerpts_are_those_of_the_passes() -> None:
    docstring, found, _ = blocks(GENERAL)
    assert (pool_values_only.__doc__ or "").partition("\n\nProof:")[0].rstrip() in docstring
    shown = entry(found)
    assert [(item.name, dict(item.after)) for item in PASSES if item.name == shown.name] == [
        (shown.name, dict(shown.after))
    ]
