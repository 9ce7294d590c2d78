"""Kernels compiled for ARM: values in an emulator, and the instructions that it does not have by their names."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from irrun_kernels.host import TRIPLE

x86 = pytest.mark.skipif(
    not (TRIPLE.startswith("x86_64") and sys.platform == "linux"),
    reason="calls between both processors are those of Linux; on ARM all other tests are such tests",
)


def told(script: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ)
    assert done.stderr == ""
    return done.stdout.splitlines()


START = """
from tests.kernels.compiled import arm
arm.become("{}")
from irrun_kernels import backends, host
from irrun.tensor.element_type import BF16, F16
from tests.kernels.compiled import test_bytes, test_convolution, test_halves
print(backends.OF_HALVES.name, backends.OF_BYTES.name, host.LANES, host.REGISTERS, sep=", ")
"""

VALUES = """
for type in (BF16, F16):
    test_halves.test_numbers_are_rounded_to_nearest_even(type)
test_halves.test_products_are_equal_to_the_bit((7, 30, 64))
test_convolution.test_convolution_with_bias_summand_and_activation("grouped, odd", 3, "swish")
for name in ("first layer", "depthwise", "grouped"):
    test_bytes.test_levels_are_half_a_step_from_exact_numbers_at_most(name, 77, "rounded")
"""

WORDS = """
words = {word for text in arm.assemblies for word in text.split()}
print(*sorted(words & {"fmla", "sdot", "usdot", "bfdot"}))
"""


@x86
@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ("+fp-armv8,+neon,+dotprod", ["f32 made of bf16, SDOT, 4, 32", "fmla sdot"]),
        ("+fp-armv8,+neon", ["f32 made of bf16, halves of words, 4, 32", "fmla"]),
    ],
    ids=["dotprod", "plain"],
)
def test_values(features: str, expected: list[str]) -> None:
    pytest.importorskip("unicorn", reason="unicorn emulates the processor")
    assert told(START.format(features) + VALUES + WORDS) == expected


COMPILED = """
from irrun_kernels.product import integer_product, product
for kernel in (product, integer_product):
    kernel._object("kernel")
"""


@x86
def test_instructions_that_the_emulator_does_not_have() -> None:
    lines = told(START.format("+fp-armv8,+neon,+bf16,+i8mm") + COMPILED + WORDS)
    assert lines == ["BFDOT, USDOT, 4, 32", "bfdot fmla usdot"]
