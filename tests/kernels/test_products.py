"""Products in the pieces that BLAS does fastest: whatever the sizes, they are what NumPy's are."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.products import multiply


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("rows", [1, 5, 127, 250, 2001])
@pytest.mark.parametrize("stack", [(), (3,)])
def test_a_light_matrix_on_the_right(rows: int, stack: tuple[int, ...]) -> None:
    random = np.random.default_rng(rows)
    a = random.standard_normal((rows, 90), dtype=np.float32)[:, :64]
    b = random.standard_normal((*stack, 64, 40), dtype=np.float32)
    out = np.empty((*stack, rows, 48), np.float32)
    multiply(a, b, out[..., :40])
    np.testing.assert_allclose(out[..., :40], a @ b, rtol=1e-5, atol=1e-4)
