"""Right factors in panels, also of those that are made a few columns at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.kernels.casting import bf16_bits
from irrun.kernels.winograd import transform_weights
from irrun.tensor import Array

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime import packing
from irrun.runtime.packing import finished
from irrun_kernels.host import LANES
from tests.kernels.merged import merged

VECTORS = 2


def packed(matrices: Array, each: int) -> Array:
    """Matrices [groups, parts, K, N] in panels, as the docstring of ``pack`` has them."""
    groups, _, _, columns = matrices.shape
    found = []
    for group in range(groups):
        for first in range(0, columns, VECTORS * LANES):
            panel = matrices[group, :, :, first : first + VECTORS * LANES]
            panel = np.pad(panel, ((0, 0), (0, 0), (0, -panel.shape[-1] % LANES)))
            words = panel.reshape(panel.shape[0], -1, each, panel.shape[-1])
            found.append(words.swapaxes(-2, -1).reshape(-1))
    return np.concatenate(found)


def unpadded(dtype: Any) -> packing.ProductForm:
    """The form of left factors of a type, with columns as long as those of the matrices."""
    return packing.FORMS[np.dtype(dtype)]._replace(is_padded=False)


@pytest.fixture(params=[1 << 20, 1], ids=["at once", "panel by panel"], autouse=True)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_BLOCK", request.param)


@merged()
@pytest.mark.parametrize("columns", [1, 2 * LANES, 5 * LANES + 3])
@pytest.mark.parametrize("depth", [4, 7])
@pytest.mark.parametrize("layout", ["CKN", "NKC"])
def test_bf16(columns: int, depth: int, layout: str) -> None:
    random = np.random.default_rng(columns)
    matrices = random.normal(size=(3, 2, depth, columns)).astype(np.float32)
    matrices[0, 0, 0, 0] = np.float32(1 + 2**-8)
    given = matrices if layout == "CKN" else np.ascontiguousarray(matrices.T).T
    bits = np.pad(bf16_bits(matrices), ((0, 0), (0, 0), (0, depth % 2), (0, 0)))
    words = finished(lambda: unpadded(np.uint16).panels(given, VECTORS))
    np.testing.assert_array_equal(words, packed(bits, 2))


@merged()
@pytest.mark.parametrize("columns", [1, 2 * LANES, 5 * LANES + 3])
def test_matrices_that_are_made(columns: int) -> None:
    weights = np.random.default_rng(columns).normal(size=(columns, 6, 3, 3)).astype(np.float32)
    whole = transform_weights(weights)[:, None]
    made = finished(lambda: packing.pack(weights, lambda part: whole[..., part], whole.shape, whole.dtype, VECTORS))
    np.testing.assert_array_equal(made, packed(whole, 1))
    at_once = finished(lambda: unpadded(np.float32).panels(whole, VECTORS))
    np.testing.assert_array_equal(made, at_once)


def test_bytes() -> None:
    codes = np.random.default_rng(1).integers(-128, 128, (2, 1, 8, 3 * LANES + 1))
    words = finished(lambda: unpadded(np.uint8).panels(codes, VECTORS))
    np.testing.assert_array_equal(words, packed(codes.astype(np.int8), 4))
