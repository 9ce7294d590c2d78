"""Operations as calls of compiled kernels: one function for each, found by the class of the operation.

A module of this folder is imported when a plan has an operation that it lowers. No list names them: the table of
``places`` is generated.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from irrun.ops import Op
from irrun.runtime.lowering.builder import LOWERINGS, Lowered
from irrun.runtime.lowering.places import PLACES

_OWN = "irrun.ops._declared."


def lowering_of(operation: type[Op]) -> Lowered | None:
    """Return how an operation is lowered; None for one that no module lowers."""
    found = _known(operation)
    place = PLACES.get(operation.type.lower())
    if found is None and place is not None:
        importlib.import_module(f"{__name__}.{place}")
        found = _known(operation)
    if found is None:
        load()
    return found or _known(operation)


def _known(operation: type[Op]) -> Lowered | None:
    found = LOWERINGS.get(operation)
    return LOWERINGS.get(operation.type.lower()) if found is None and operation.__module__.startswith(_OWN) else found


@cache
def load() -> None:
    """Import all modules."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


__all__ = ["LOWERINGS", "load", "lowering_of"]
