"""Kernels that are compiled again when a source changes."""

from __future__ import annotations

import pytest

from building.objects import PACKAGE, needed


@pytest.mark.parametrize("name", ["integers", "angles", "real", "functions", "vectors", "micro"])
def test_a_chain_depends_on_the_functions_of_its_elements(name: str) -> None:
    is_needed = PACKAGE / f"{name}.py" in needed(PACKAGE / "elementwise.py")
    assert is_needed == (name != "micro")


def test_all_sources_that_are_needed_are_there() -> None:
    assert [path for file in PACKAGE.glob("*.py") for path in needed(file) if not path.exists()] == []
