"""Parameters that become subtests of one test."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kernels.merged import merged

SUBTESTS: Any = SimpleNamespace(test=lambda **_: nullcontext())


@pytest.mark.parametrize("every", [1, 2])
def test_both_tiers_have_all_cases_together(every: int) -> None:
    seen: list[tuple[int, int, str]] = []

    @merged(every=every)
    @pytest.mark.parametrize("x", range(4))
    @pytest.mark.parametrize(("y", "z"), [(0, "a"), (1, "b"), (2, "c")])
    def test(x: int, y: int, z: str) -> None:
        seen.append((x, y, z))

    runs: dict[str, list[tuple[int, int, str]]] = {}
    for name in ("quick", "rest", "all"):
        seen.clear()
        test(subtests=SUBTESTS, tier=SimpleNamespace(name=name))
        runs[name] = sorted(seen)
    assert len(set(runs["all"])) == 12
    assert sorted(runs["quick"] + runs["rest"]) == runs["all"]
    assert len(runs["quick"]) == 4 // every
    if every == 1:
        assert [{case[at] for case in runs["quick"]} for at in range(3)] == [{0, 1, 2, 3}, {0, 1, 2}, {"a", "b", "c"}]
