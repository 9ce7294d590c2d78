"""Programs of users, which run with either module."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.openvino.snippets import SNIPPETS


@pytest.mark.parametrize("module", ["openvino", "irrun.openvino"])
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda item: item.__name__)
def test_snippet(snippet: Callable[[Any], None], module: str) -> None:
    if module == "openvino":
        pytest.importorskip("openvino", reason="the snippets are written for it")
    snippet(importlib.import_module(module))


def test_there_are_enough() -> None:
    assert len(SNIPPETS) >= 30
