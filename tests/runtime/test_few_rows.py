"""Programs for rows of unknown number compute 0, 1 and odd numbers of them, at first and later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.engines import TIERS
from tests.nets import Net
from tests.runtime.test_tiers import needs_kernels


def network() -> Net:
    """Return two products with what lies between them in transformers."""
    net = Net()
    x = net.parameter("x", "?,64")
    plain = {"transpose_a": False, "transpose_b": False}
    h = net.layer("Add", [net.layer("MatMul", [x, net.normal(64, 96)], **plain), net.normal(96)])
    h = net.layer("MatMul", [net.layer("Gelu", [h], opset=7, approximation_mode="ERF"), net.normal(96, 64)], **plain)
    h = net.layer("Add", [h, x])
    norm = {"normalize_variance": True, "eps": 1e-5, "eps_mode": "INSIDE_SQRT"}
    h = net.layer("MVN", [h, net.constant([-1])], opset=6, **norm)
    net.result(net.layer("MatMul", [h, net.normal(64, 33)], **plain))
    return net


def product() -> Net:
    """Return one product, whose kernel is compiled sooner than those of a network."""
    net = Net()
    net.result(
        net.layer("MatMul", [net.parameter("x", "?,30"), net.normal(30, 64)], transpose_a=False, transpose_b=False)
    )
    return net


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("precision", ["bf16", "f32"])
def test_rows(tmp_path: Path, precision: str, tier: str) -> None:
    check_rows(network(), 64, 33, tmp_path, precision, tier)


def check_rows(net: Net, width: int, columns: int, folder: Path, precision: str, tier: str) -> None:
    """Compare 0, 1 and odd numbers of rows with those of all rows at once, by models that saw others at first."""
    rows = np.random.default_rng(0).standard_normal((37, width)).astype(np.float32)
    for first in (0, 1, 37):
        model = net.compile(folder, INFERENCE_PRECISION_HINT=precision, TIER=tier)
        every = model([rows])[0] if first else None
        for count in (first, 0, 1, 3, 37, 0):
            (result,) = model([rows[:count]]).to_tuple()
            assert result.shape == (count, columns)
            if every is not None:
                np.testing.assert_allclose(result, every[:count], rtol=2e-2, atol=0.3 if precision == "bf16" else 1e-3)


@needs_kernels
@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (3, 0, 2), (0,)])
def test_bits_of_no_elements(shape: tuple[int, ...]) -> None:
    from irrun.runtime.lowering.conversions import bf16_bits

    assert bf16_bits(np.zeros(shape, np.float32)).shape == shape
