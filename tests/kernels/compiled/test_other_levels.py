"""Kernels of this processor's lesser levels: other products of bf16 and of bytes, and vectors of half the size.

A process takes one level, and does several checks of it, since the kernels that it compiles share functions.
"""

from __future__ import annotations

from typing import Final

import pytest

from irrun_kernels.processor import fitting, machine
from tests.kernels.compiled.built import told

pytestmark = [
    pytest.mark.rest,
    pytest.mark.skipif(machine() != "x86_64", reason="levels of x86-64"),
]

CHECKS: Final = {
    "bf16": """
for type in (BF16, F16):
    test_bf16.test_numbers_are_rounded_to_nearest_even.__wrapped__(type)
test_bf16.test_bits_of_bf16_are_those_of_the_numbers()
for rows in (1, 7):
    test_bf16.test_products_are_equal_to_the_bit.__wrapped__((rows, 30, 64))
test_convolution.test_depthwise_convolution_of_bf16.__wrapped__("depthwise, 17 channels", "none")
with TemporaryDirectory() as folder:
    test_few_rows.check_rows(test_few_rows.product(), 30, 64, Path(folder), "bf16", "compiled")
""",
    "attention": """
test_attention.test_operands_are_rounded.__wrapped__("odd", "mask", "keys")
""",
    "bytes": """
for name in ("first layer", "depthwise", "grouped"):
    test_bytes.test_levels_are_half_a_step_from_exact_numbers_at_most.__wrapped__(name, 77, "rounded")
""",
    "dynamic": """
for kind, rows in (("i8", 1), ("i8", 5), ("u4", 5)):
    test_dynamic.test_both_tiers_are_equal_to_the_bit.__wrapped__(kind, rows, 150, 4, 32, 64)
""",
    "codes": """
for rows in (1, 2, 3):
    test_packed.test_a_product_with_codes.__wrapped__(rows, 17, 4, 3, 32, True)
    for kind in ("nf4", "f8e4m3", "f8e5m2"):
        test_packed.test_a_product_with_codes_of_a_table.__wrapped__(rows, 17, kind, 3, 32, False)
""",
}

START: Final = """
from pathlib import Path
from tempfile import TemporaryDirectory
from irrun_kernels import backends, host
from irrun.tensor.element_type import BF16, F16
from tests.kernels.compiled import test_attention, test_bf16, test_bytes, test_convolution, test_dynamic, test_packed
from tests.runtime import test_few_rows
print(backends.OF_BF16.name, backends.OF_BYTES.name, host.LANES, sep=", ")
"""


@pytest.mark.parametrize(
    ("level", "checks", "expected"),
    [
        ("x86-64-v4", ["bf16", "dynamic"], "f32 made of bf16, halves of words, 16"),
        ("x86-64-v4", ["attention"], "f32 made of bf16, halves of words, 16"),
        ("x86-64-v3", ["bf16", "bytes"], "f32 made of bf16, halves of words, 8"),
        ("x86-64-v3", ["dynamic", "codes", "attention"], "f32 made of bf16, halves of words, 8"),
        ("x86-64-v3-vnni", ["bytes"], "f32 made of bf16, AVX-VNNI, 8"),
    ],
    ids=["x86-64-v4", "x86-64-v4, attention", "x86-64-v3", "x86-64-v3, codes", "x86-64-v3-vnni"],
)
def test_values(level: str, checks: list[str], expected: str) -> None:
    if level not in [one.name for one in fitting()]:
        pytest.skip(f"this processor does not have the instructions of {level}")
    assert told(START + "".join(CHECKS[name] for name in checks), level) == expected
