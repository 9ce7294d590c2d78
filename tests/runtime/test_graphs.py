"""Random graphs give on the compiled tier what the kernels of NumPy give, layer by layer."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

import numpy as np

from tests.ops.random_draws import Random
from tests.runtime.graphs import difference, laid


@pytest.mark.parametrize("seed", range(100))
def test_tiers_agree(seed: int, tmp_path: Path) -> None:
    assert difference(seed, tmp_path) is None


@pytest.mark.parametrize("seed", range(100, 150))
def test_tiers_agree_in_bf16(seed: int, tmp_path: Path) -> None:
    assert difference(seed, tmp_path, "bf16") is None


def test_layouts_keep_values() -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    made = [laid(array, Random(seed)) for seed in range(40)]
    assert all(np.array_equal(each, array) for each in made)
    assert len({(each.strides, each.ctypes.data % 4) for each in made}) == 5
