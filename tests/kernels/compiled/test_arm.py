"""Kernels compiled for ARM: values in an emulator, and the instructions that it does not have by their names."""

from __future__ import annotations

import sys

import pytest

from irrun_kernels.processor import machine
from tests.kernels.compiled.built import told

x86 = pytest.mark.skipif(
    machine() != "x86_64" or sys.platform != "linux",
    reason="calls between both processors are those of Linux; on ARM all other tests are such tests",
)

START = """
from tests.kernels.compiled import arm
arm.become("{}")
from irrun_kernels import backends, host
from irrun.tensor.element_type import BF16, F16
from tests.kernels.compiled import test_bytes, test_convolution, test_bf16, test_packed
print(backends.OF_BF16.name, backends.OF_BYTES.name, host.LANES, host.REGISTERS, sep=", ")
"""

VALUES = """
for type in (BF16, F16):
    test_bf16.test_numbers_are_rounded_to_nearest_even(type)
test_bf16.test_products_are_equal_to_the_bit((7, 30, 64))
test_convolution.test_convolution_with_bias_summand_and_activation("grouped, odd", 3, "swish")
for name in ("first layer", "depthwise", "grouped"):
    test_bytes.test_levels_are_half_a_step_from_exact_numbers_at_most(name, 77, "rounded")
for rows in (1, 2):
    test_packed.test_a_product_with_codes_of_a_table(rows, 17, "nf4", 3, 32, False)
"""

WORDS = """
print(*sorted(set(arm.words("product", "integer_product")) & {"fmla", "sdot", "usdot", "bfdot"}))
"""


@x86
@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("arm64-dotprod", ["f32 made of bf16, SDOT, 4, 32", "fmla sdot"]),
        ("arm64-neon", ["f32 made of bf16, halves of words, 4, 32", "fmla"]),
    ],
)
def test_values(level: str, expected: list[str]) -> None:
    """Values, and the instructions that compute them: Numba compiles what kernels call once for both."""
    pytest.importorskip("unicorn", reason="unicorn emulates the processor")
    assert told(START.format(level) + VALUES + WORDS).splitlines() == expected


@x86
def test_instructions() -> None:
    assert told(START.format("arm64-bf16") + WORDS).splitlines() == ["BFDOT, USDOT, 4, 32", "bfdot fmla usdot"]
