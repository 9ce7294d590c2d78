"""The tiers of kernels that are installed here, and the engines that results are compared with."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

import pytest

from irrun.runtime.tiers import has_kernels

TIERS = ("numpy", "compiled") if has_kernels() else ("numpy",)


def need(name: str) -> Any:
    """Return the module of an engine; without it, skip the test, or the file, that compares with it.

    All tests that are skipped for one engine have one line in the summary, since this is where they are skipped.
    """
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed: nothing is compared with it", allow_module_level=True)
    return importlib.import_module(name)
