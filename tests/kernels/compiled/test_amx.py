"""Products on tiles of AMX: the values by loops over memory that stand for the tiles, and by the processor's own tiles.

Each test runs a script in another process, since a processor is looked at once.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from irrun.kernels.casting import bf16_bits, rounded
from irrun.kernels.elementwise import Elementwise
from irrun.ops._declared.convolution.spatial import Windows
from irrun.ops._declared.fused.fused_products import FusedMatMul
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BF16, F32
from irrun_kernels.host import LEVEL
from irrun_kernels.processor import machine
from tests.kernels.compiled.built import told
from tests.kernels.compiled.lowered import run
from tests.kernels.test_convolution import GEOMETRIES, channels_last, fused, multiplied_out

x86 = pytest.mark.skipif(machine() != "x86_64", reason="AMX is one of x86-64")
with_tiles = pytest.mark.skipif(
    LEVEL.tiles != "registers", reason="this processor does not have AMX, or the system refuses it"
)

MEMORY = "x86-64-memory"


def flushed(x: Array) -> Array:
    return np.where(np.abs(x) < 2.0**-126, np.copysign(np.float32(0), x), x).astype(np.float32)


def multiplied_on_tiles(x: Array, weights: Array) -> Array:
    """The product of bf16 in the order of Intel's manual: sums of even and of odd products of each 32, then of both."""
    sums = np.zeros((len(x), weights.shape[1]), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        for first in range(0, len(weights), 32):
            both = []
            for parity in (0, 1):
                part = np.zeros_like(sums)
                for k in range(first + parity, min(first + 32, len(weights)), 2):
                    term = np.multiply.outer(flushed(x[:, k]).astype(np.longdouble), flushed(weights[k]))
                    part = flushed((part.astype(np.longdouble) + term).astype(np.float32))
                both.append(part)
            sums = flushed(sums + flushed(both[0] + both[1]))
    return sums


def check_products() -> None:
    """Rows, columns and depths that are not multiples of tiles; NaN, infinities and numbers that are flushed."""
    for points, depth, columns in ((16, 64, 70), (33, 30, 64), (201, 98, 130), (40, 2, 16), (64, 2050, 33)):
        draw = np.random.default_rng(points)
        scale = np.exp2(draw.integers(-8, 8, depth)).astype(np.float32)
        x = rounded(draw.standard_normal((points, depth), dtype=np.float32) * scale, "bf16")
        weights = rounded(draw.standard_normal((depth, columns), dtype=np.float32), "bf16")
        x[3, :2] = 2.0**-100, -(2.0**-90)
        weights[0, ::2] = 2.0**-30
        x[5, 1], x[6, 0], x[7, 1] = np.nan, np.inf, -np.inf
        weights[1, 5] = np.inf
        fact = Fact(F32, Shape((points, columns)))
        op = (
            FusedMatMul(fact=fact, weights=weights, bias=None, activation=None)
            .in_precision(BF16)
            .with_bf16(floats=True)
        )
        expected = multiplied_on_tiles(x, weights)
        both, alone = run(op, bf16_bits(x)), run(op.with_bf16(floats=False), bf16_bits(x))
        assert both is not None
        np.testing.assert_array_equal(both[0], expected)
        np.testing.assert_array_equal(both[1], bf16_bits(expected))
        np.testing.assert_array_equal(alone, bf16_bits(expected))


def check_epilogues() -> None:
    """Bias, summand, bounds and a function, for products that several tasks share."""
    draw = np.random.default_rng(2)
    for points, columns in ((20, 48), (500, 700)):
        x, weights = (draw.standard_normal(size).astype(np.float32) for size in ((points, 160), (160, columns)))
        bias, summand = (draw.standard_normal(size).astype(np.float32) for size in (columns, (points, columns)))
        exact = rounded(x, "bf16").astype(np.float64) @ rounded(weights, "bf16") + bias + summand
        for activation, function in (
            (Elementwise("clamp", (-0.5, 1.0), np.clip), lambda x: np.clip(x, -0.5, 1)),
            (Elementwise("swish", (), np.exp), lambda x: x / (1 + np.exp(-x))),
        ):
            fact = Fact(F32, Shape((points, columns)))
            op = (
                FusedMatMul(fact=fact, weights=weights, bias=bias, activation=activation)
                .in_precision(BF16)
                .with_bf16(floats=True)
            )
            both = run(op, bf16_bits(x), summand)
            assert both is not None
            np.testing.assert_allclose(both[0], function(exact), rtol=1e-5, atol=1e-4)
            np.testing.assert_array_equal(both[1], bf16_bits(both[0]))


def check_convolutions() -> None:
    """Taps, edges of images, strides, dilations and groups."""
    for name, ((channels, filters, groups), size, kernel, strides, dilations, begins, ends) in GEOMETRIES.items():
        if channels // groups % 2:
            continue
        draw = np.random.default_rng(4)
        x = draw.standard_normal((2, channels, *size)).astype(np.float32)
        weights = draw.standard_normal((groups, filters // groups, channels // groups, *kernel)).astype(np.float32)
        exact = multiplied_out(rounded(x, "bf16"), rounded(weights, "bf16"), strides, dilations, begins, ends)
        windows = Windows(strides, dilations, begins, ends)
        op = fused(weights, exact.shape, windows, accurate=True)
        both = run(op.in_precision(BF16).with_bf16(floats=True), channels_last(bf16_bits(x)))
        assert both is not None
        np.testing.assert_allclose(both[0], exact, rtol=0, atol=1e-5 * np.sqrt(weights[0, 0].size), err_msg=name)


def check_bytes() -> None:
    """Products of bytes with all that follows them."""
    from tests.kernels.compiled.test_bytes import test_levels_are_half_a_step_from_exact_numbers_at_most as test

    for name in ("pointwise", "first layer", "few filters", "few points", "grouped"):
        for form in ("plain", "summand", "levels", "rounded"):
            test.__wrapped__(name, 77, form)


def check_codes() -> None:
    """Weights of few bits, which become bf16 a part at a time."""
    from tests.kernels.compiled.test_packed import test_a_product_of_several_rows_in_bf16 as test

    for rows, bits, groups, size in ((33, 4, 3, 32), (33, 8, 1, 260), (200, 4, 1, 520), (64, 8, 2, 100)):
        test.__wrapped__(rows, bits, groups, size)


VALUES = """
from irrun_kernels import amx_check
from irrun_kernels.amx_check import multiplies_bf16
from irrun.runtime.tiers import backend
from tests.kernels.compiled import test_amx
print(amx_check.multiplies_bf16(), amx_check.multiplies_bytes(), backend("bf16", "compiled"))
for check in {}:
    getattr(test_amx, f"check_{{check}}")()
"""


@pytest.mark.rest
@pytest.mark.parametrize("level", [pytest.param(MEMORY, marks=x86), pytest.param(None, marks=with_tiles)])
@pytest.mark.parametrize(
    "checks", [["products", "epilogues", "convolutions", "bytes"], ["codes"]], ids=["products", "codes"]
)
def test_values(checks: list[str], level: str | None) -> None:
    assert told(VALUES.format(checks), level) == "True True AMX-BF16"


WRONG = """
import warnings
from irrun_kernels import amx, amx_check
from irrun.runtime.tiers import backend
amx.TilesInMemory.multiply_bf16 = amx.TilesInMemory.multiply_bytes
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(backend("bf16", "compiled"), amx_check.multiplies_bf16(), amx_check.multiplies_bytes())
print(*(one.message for one in seen))
"""


@pytest.mark.rest
@x86
def test_tiles_that_compute_wrong_products_are_left_alone(tmp_path: Path) -> None:
    lines = told(WRONG, MEMORY, IRRUN_KERNELS_OBJECTS=str(tmp_path)).splitlines()
    name = lines[0].split()[0]
    assert name in ("AVX512-BF16", "f32")
    assert lines[0].endswith("False True")
    assert lines[1].startswith("AMX-BF16 of this processor computes wrong products; ")


REFUSED = """
import ctypes
from types import SimpleNamespace
calls = []
def syscall(*arguments):
    calls.append(arguments)
    return {}
ctypes.CDLL = lambda _: SimpleNamespace(syscall=syscall)
from irrun_kernels import processor
print([processor._is_saved("amx-tile", saved) for saved in (0x600E7, 0x600E7, 0xE7)], calls)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux asks for permission")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [(0, "[True, True, False] [(158, 4131, 18)]"), (-1, "[False, False, False] [(158, 4131, 18)]")],
    ids=["granted", "refused"],
)
def test_permission(answer: int, expected: str) -> None:
    assert told(REFUSED.format(answer)) == expected


WRITTEN = """
from tests.kernels.compiled import built
built.become("x86-64-amx")
from building.compiler import assembly_of, code_of
from building.systems import SYSTEMS
from irrun_kernels.product import integer_product, product
codes = [assembly_of(code_of(kernel), SYSTEMS["linux-x86_64"]) for kernel in (product, integer_product)]
words = sorted(set(" ".join(codes).split()))
print(*(word for word in words if word.startswith(("ldtile", "tile", "tdp"))))
"""


@pytest.mark.rest
@x86
def test_instructions() -> None:
    expected = "ldtilecfg tdpbf16ps tdpbusd tileloadd tilerelease tilestored tilezero"
    assert told(WRITTEN) == expected
