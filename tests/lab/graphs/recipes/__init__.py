"""Recipes by operation, or by operation and opset."""

from __future__ import annotations

from typing import Final

from tests.lab.graphs.call import Recipe
from tests.lab.graphs.recipes import elementwise, indexing, movement, numeric, sequences, slicing, windows

RECIPES: Final[dict[str, Recipe]] = {
    name: recipe
    for family in (elementwise, indexing, movement, numeric, sequences, slicing, windows)
    for name, recipe in family.RECIPES.items()
}
