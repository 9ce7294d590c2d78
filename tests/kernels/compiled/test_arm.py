"""Kernels compiled for ARM: values in an emulator, and the instructions that it does not have by their names."""

from __future__ import annotations

import sys

import pytest

from irrun_kernels.processor import machine
from tests.kernels.compiled.built import told

pytestmark = pytest.mark.rest

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

VALUES = {
    "products": """
for type in (BF16, F16):
    test_bf16.test_numbers_are_rounded_to_nearest_even.__wrapped__(type)
test_bf16.test_products_are_equal_to_the_bit.__wrapped__((7, 30, 64))
test_convolution.test_convolution_with_bias_summand_and_activation.__wrapped__("grouped, odd", 3, "swish")
""",
    "codes": """
for rows in (1, 2):
    test_packed.test_a_product_with_codes_of_a_table.__wrapped__(rows, 17, "nf4", 3, 32, False)
""",
    "bytes": """
for name in ("first layer", "depthwise", "grouped"):
    test_bytes.test_levels_are_half_a_step_from_exact_numbers_at_most.__wrapped__(name, 77, "rounded")
""",
}

WORDS = """
print({0!r}, *sorted(arm.words({0!r}) & {{"fmla", "sdot", "usdot", "bfdot"}}))
"""


@x86
@pytest.mark.parametrize(
    ("level", "values", "kernels", "expected"),
    [
        (
            "arm64-bf16",
            [],
            ["product", "integer_product"],
            ["BFDOT, USDOT, 4, 32", "product bfdot fmla", "integer_product fmla usdot"],
        ),
        (
            "arm64-dotprod",
            ["products"],
            ["product"],
            ["f32 made of bf16, SDOT, 4, 32", "product fmla"],
        ),
        (
            "arm64-dotprod",
            ["bytes"],
            ["integer_product"],
            ["f32 made of bf16, SDOT, 4, 32", "integer_product fmla sdot"],
        ),
        ("arm64-dotprod", ["codes"], [], ["f32 made of bf16, SDOT, 4, 32"]),
        # Its products of floats are those of the level above.
        (
            "arm64-neon",
            ["bytes"],
            ["integer_product"],
            ["f32 made of bf16, halves of words, 4, 32", "integer_product fmla"],
        ),
    ],
    ids=["arm64-bf16", "arm64-dotprod", "arm64-dotprod, bytes", "arm64-dotprod, codes", "arm64-neon"],
)
def test_level(level: str, values: list[str], kernels: list[str], expected: list[str]) -> None:
    """Check a level in one process, whose kernels are compiled once for values and for instructions."""
    if values:
        pytest.importorskip("unicorn", reason="unicorn emulates the processor")
    script = START.format(level) + "".join(VALUES[what] for what in values) + "".join(map(WORDS.format, kernels))
    assert told(script).splitlines() == expected
