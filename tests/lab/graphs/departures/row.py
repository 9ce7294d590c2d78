"""A departure, and what rows ask of the use of a layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from irrun.ops.departures import GENERAL
from irrun.ops.registry import resolve
from irrun.tensor import UNBOUNDED
from tests.lab.graphs.evaluate import Use


class Departure(NamedTuple):
    """Layers that OpenVINO treats in a way of its own, and the reason."""

    types: tuple[str, ...]
    reason: str
    applies: Callable[[Use], bool]


def declared(type: str, key: str) -> str:
    """Return the words of a departure that the newest version of an operation declares, or of one in general."""
    operation = resolve(type)
    return operation.spec.departures[key] if key in operation.spec.departures else GENERAL[key]


def is_constant(use: Use, index: int) -> bool:
    return index >= len(use.facts) or use.facts[index].constant is not None


def is_dynamic(use: Use, index: int) -> bool:
    return index < len(use.facts) and not use.facts[index].shape.is_static


def is_bounded(use: Use, index: int) -> bool:
    dims = use.facts[index].shape.dims or ()
    return any(not dim.is_static and dim.hi < UNBOUNDED for dim in dims)


def is_last_dynamic(use: Use, index: int) -> bool:
    shape = use.facts[index].shape
    return shape.dims is None or not shape[-1].is_static


def types(use: Use, *indices: int) -> set[object]:
    return {use.facts[index].type for index in indices if index < len(use.facts)}


def always(use: Use) -> bool:
    del use
    return True
