"""Programs of users, which run with either module."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.engines import need
from tests.openvino.snippets import SNIPPETS


@pytest.mark.sample(3)
@pytest.mark.parametrize("module", ["openvino", "irrun.openvino"])
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda item: item.__name__)
def test_snippet(snippet: Callable[[Any], None], module: str) -> None:
    if module == "openvino":
        need("openvino")
    snippet(importlib.import_module(module))


def test_there_are_enough() -> None:
    assert len(SNIPPETS) >= 30
