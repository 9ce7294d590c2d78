"""The builders of all opsets have the parameters of OpenVINO's, in their order, and their defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import irrun.openvino
from irrun.openvino.opsets.signatures import DEFAULTS, OLDER, signature
from irrun.ops.registry import find, spelling
from tests.engines import need

need("openvino")

MORE = {"constant": {"shared_memory"}}
"""Parameters that irrun has in every opset, and OpenVINO in later ones only."""
FEWER = {"roi_pooling": {"output_size"}}
"""Deprecated parameters behind the name."""
SAME = {("clip", 0.0): float("inf")}
"""A default of OpenVINO and what it means."""

Builder = Callable[..., Any]


def builders() -> Iterator[tuple[str, int, Builder]]:
    for opset in range(1, 18):
        module = import_module(f"openvino.opset{opset}")
        for name, function in vars(module).items():
            if inspect.isfunction(function) and not name.startswith("_"):
                yield name, opset, function


def parameters(function: Builder, without: set[str]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in without]


def test_names_and_positions() -> None:
    count = 0
    for name, opset, theirs in builders():
        ours = getattr(getattr(irrun.openvino, f"opset{opset}"), name)
        expected = parameters(theirs, FEWER.get(name, set()) | MORE.get(name, set()))
        assert parameters(ours, MORE.get(name, set())) == expected, f"{name} of opset{opset}"
        count += 1
    assert count > 2500


def test_defaults_of_attributes() -> None:
    """What a caller may leave out in OpenVINO has the same value in irrun."""
    count = 0
    for name, opset, theirs in builders():
        type = spelling({"ceil": "ceiling", "absolute": "abs"}.get(name, name).replace("_", ""))
        cls = None if type is None else find(type, f"opset{opset if opset > OLDER.get(name, 0) else 1}")
        if cls is None:
            continue
        given = inspect.signature(theirs).parameters
        for item in signature(name, cls, opset):
            attribute = None if item.declared is None else cls.spec.attribute(item.declared)
            expected = given[item.name].default if item.name in given else None
            if attribute is None or expected is None or expected is inspect.Parameter.empty:
                continue
            value = DEFAULTS.get(name, {}).get(attribute.name, attribute.default)
            wanted = SAME.get((item.name, expected), expected)
            assert plain(value) == plain(wanted), f"{item.name} of {name} of opset{opset}"
            count += 1
    assert count > 1000


def plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.lower()
    return tuple(value) if isinstance(value, list) else getattr(value, "name", value)


@pytest.mark.parametrize("opset", range(1, 17))
def test_constants_share_memory_in_every_opset(opset: int) -> None:
    array = np.ones(3, np.float32)
    node = getattr(irrun.openvino, f"opset{opset}").constant(array, shared_memory=True)
    array += 1
    assert node.data.tolist() == [2, 2, 2]
