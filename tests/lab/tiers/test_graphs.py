"""Random graphs give on the compiled tier what the kernels of NumPy give, layer by layer."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

import numpy as np

from tests.lab.tiers.graphs import difference, laid
from tests.ops.random_draws import Random
from tests.plugins.tiers import Campaign


def test_tiers_agree(tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for seed in campaign.draws(15, 100):
        with subtests.test(seed=seed):
            assert difference(seed, tmp_path) is None


def test_tiers_agree_in_bf16(tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for number in campaign.draws(8, 50):
        seed = 100 + number
        with subtests.test(seed=seed):
            assert difference(seed, tmp_path, "bf16") is None


def test_layouts_keep_values() -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    made = [laid(array, Random(seed)) for seed in range(40)]
    assert all(np.array_equal(each, array) for each in made)
    assert len({(each.strides, each.ctypes.data % 4) for each in made}) == 5
