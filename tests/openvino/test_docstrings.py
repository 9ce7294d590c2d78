"""Every public class, method and function of the API says what it does."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

MODULES = [
    "",
    "openvino",
    "openvino.op",
    "openvino.op.util",
    "openvino.passes",
    "openvino.preprocess",
    "openvino.properties",
    "openvino.layout_helpers",
    "openvino.helpers",
    "openvino.utils",
    "openvino.exceptions",
]


def _undocumented(name: str, value: Any) -> Iterator[str]:
    if inspect.isfunction(value) and not value.__doc__:
        yield name
    if not isinstance(value, type):
        return
    if not value.__dict__.get("__doc__"):
        yield name
    for cls in value.__mro__:
        for member, item in vars(cls).items() if cls.__module__.startswith("irrun") else ():
            found = item.fget if isinstance(item, property) else getattr(item, "__func__", item)
            if not member.startswith("_") and inspect.isfunction(found) and not found.__doc__:
                yield f"{name}.{member}"


@pytest.mark.parametrize("module", MODULES)
def test_everything_is_documented(module: str) -> None:
    found = import_module(f"irrun.{module}".rstrip("."))
    names = getattr(found, "__all__", None) or [key for key, item in vars(found).items() if inspect.isfunction(item)]
    assert [text for name in names for text in _undocumented(name, getattr(found, name))] == []
