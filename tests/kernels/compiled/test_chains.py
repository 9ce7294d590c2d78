"""Chains of functions in one call: those that lowerings write themselves."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.ops._declared.fused.fused_functions import FusedRotary
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.chains import Expression
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.kernels.compiled.lowered import placed, results, run


def test_a_value_is_kept_until_its_last_use() -> None:
    x = np.linspace(-3, 3, 50, dtype=np.float32)
    builder = Builder()
    given = placed(builder, x)
    e = Expression(builder)
    first = e("exp", e.read(given))
    second = e("negative", first)
    third = e("multiply", second, second)
    out = e.emit(e("add", first, e("subtract", third, second)), x.dtype)
    (found,) = results(builder, [given], [x], [out])
    np.testing.assert_allclose(found, 2 * np.exp(x) + np.exp(2 * x), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3, 2, 5, 8), (5, 2), (1, 40)])
def test_rotary_embeddings(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    x, cos, sin = (random.standard_normal(each, np.float32) for each in (shape, shape[-2:], shape[-2:]))
    turned = np.concatenate([-x[..., shape[-1] // 2 :], x[..., : shape[-1] // 2]], -1)
    found = run(FusedRotary(fact=Fact(F32, Shape(shape))), x, cos, sin)
    assert found is not None
    np.testing.assert_allclose(found, x * cos.astype(np.float64) + turned * sin.astype(np.float64), atol=1e-6)
