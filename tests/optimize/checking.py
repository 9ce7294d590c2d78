"""Checks of what passes make of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import irrun.model
from tests.engines import TIERS
from tests.nets import Net


def types(compiled: irrun.model.Compiled) -> Counter[str]:
    """Return the number of steps of each operation type in the plan."""
    return Counter(step.node.type for step in compiled.plan.steps)


def check(
    net: Net,
    folder: Path,
    names: Sequence[str],
    want: dict[str, int],
    *,
    sizes: dict[str, tuple[int, ...]] | None = None,
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> irrun.model.Compiled:
    """Check that these passes alone, and all passes, keep the outputs, and that the former leave these steps.

    All passes are also checked on the other tier if it is installed.
    """
    alone = net.compile(folder, *names, TIER="numpy")
    assert types(alone) == want
    plain = irrun.model.build(folder / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
    whole = [irrun.model.build(folder / "net.xml", {"TIER": tier}) for tier in TIERS]
    for _ in range(2):
        inputs = net.inputs(sizes)
        expected = plain(inputs).to_tuple()
        for compiled in (alone, *whole):
            for got, wanted in zip(compiled(inputs).to_tuple(), expected, strict=True):
                assert got.dtype == wanted.dtype
                np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)
    return alone
