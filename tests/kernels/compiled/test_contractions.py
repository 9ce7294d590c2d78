"""Products of tensors, against the operations' own `run`."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.ops._declared.matrix.einsum import Einsum
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.runtime.lower import lowering_of
from irrun.tensor import Array
from tests.kernels.compiled.lowered import opened, run
from tests.kernels.merged import merged

SIZES = dict(zip("abcdijklmn", (2, 3, 1, 4, 5, 17, 6, 33, 1, 8), strict=True))
EQUATIONS = (
    *("ij,jk->ik", "aij,ajk->aik", "aij,jk->aik", "ij,ij->ij", "ij,ij->", "i,j->ij", "ij,j->i", "i,ij->j"),
    *("ij->ji", "ij->j", "aij->", "ii->i", "ii->", "iij,jk->ik", "abij,akjb->abik", "aidj,ajdk->aidk"),
    *("aij,ajk,kl->ail", "ab,ab,ab->ab", "adi,bdj->abij", "a...j,jk->a...k", "...ij,...jk->...ik", "abij,bkj->ikab"),
    *("bind,snd->bnis", "am,mj->aj", "ij,kl->ijkl", "ij,kj"),
)


def drawn(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).standard_normal(shape, np.float32)


def agree(got: Array | None, wanted: Array) -> None:
    assert got is not None
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@merged()
@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation: str) -> None:
    op = Einsum(equation=equation)
    terms = equation.split("->")[0].replace("...", "ab").replace("aabj", "abcj").split(",")
    inputs = [drawn(tuple(SIZES.get(label, 7) for label in term), seed) for seed, term in enumerate(terms)]
    wanted = op.run(*inputs)
    agree(run(op, *inputs), wanted)
    agree(run(op, *map(np.asfortranarray, inputs)), wanted)


def test_einsum_repeats_axes_of_size_1() -> None:
    op = Einsum(equation="aij,ajk->aik")
    for shapes in (((3, 4, 1), (3, 5, 2)), ((1, 4, 5), (3, 5, 2)), ((3, 4, 5), (1, 1, 2))):
        inputs = [drawn(shape) for shape in shapes]
        agree(run(op, *inputs), op.run(*inputs))


def test_products_of_every_shape() -> None:
    for a, b in (
        ((5, 7), (7, 9)),
        ((7,), (7, 9)),
        ((5, 7), (7,)),
        ((7,), (7,)),
        ((2, 3, 5, 7), (7, 9)),
        ((3, 1, 5, 7), (2, 7, 1)),
        ((1, 7), (3, 7, 40)),
        ((1, 1), (1, 1)),
    ):
        inputs = drawn(a), drawn(b, 1)
        agree(run(MatMul(), *inputs), MatMul().run(*inputs))
        agree(run(MatMul(), *map(np.asfortranarray, inputs)), MatMul().run(*inputs))
        turned = [np.swapaxes(x, -1, -2) if x.ndim > 1 else x for x in inputs]
        op = MatMul(transpose_a=True, transpose_b=True)
        agree(run(op, *turned), op.run(*turned))


def test_stacks_that_broadcast_along_several_axes() -> None:
    for a, b in (((2, 1, 3, 1, 4, 5), (1, 6, 1, 2, 5, 3)), ((2, 1, 3, 4, 5), (1, 6, 3, 5, 2))):
        inputs = drawn(a), drawn(b, 1)
        agree(run(MatMul(), *inputs), MatMul().run(*inputs))


def test_sizes_of_a_run() -> None:
    function = lowering_of(MatMul).function
    hints = drawn((3, 5, 7)), drawn((3, 7, 9))
    compute = opened(lambda builder, a, b: function(MatMul(), builder, a, b), hints, {1})
    for shapes in (((3, 5, 7), (3, 7, 9)), ((3, 60, 7), (3, 7, 9))):
        inputs = [drawn(shape, seed) for seed, shape in enumerate(shapes)]
        found = compute(inputs)
        assert found is not None
        agree(found, MatMul().run(*inputs))
