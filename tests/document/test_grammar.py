"""Elements and attributes, and their documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.document.grammar import ATTRIBUTES, CHILDREN, LEGACY_ATTRIBUTES, LEGACY_CHILDREN

PAGE = Path(__file__).parents[2] / "docs" / "ir-versions.md"


@pytest.mark.parametrize("legacy", [LEGACY_CHILDREN, LEGACY_ATTRIBUTES], ids=["elements", "attributes"])
def test_the_documentation_lists_what_old_writers_left(legacy: dict[str, dict[str, str]]) -> None:
    _, _, section = PAGE.read_text(encoding="utf-8").partition("## Legacy elements")
    rows = [line for line in section.splitlines() if line.startswith("|")]
    for names in legacy.values():
        for name, writer in names.items():
            assert any(f"`{name}`" in row and row.endswith(f"| {writer} |") for row in rows), name


def test_nothing_is_both_understood_and_left() -> None:
    for parent, tags in LEGACY_CHILDREN.items():
        assert not CHILDREN[parent] & tags.keys()
    for kind, names in LEGACY_ATTRIBUTES.items():
        assert not set(ATTRIBUTES[kind]) & names.keys()
