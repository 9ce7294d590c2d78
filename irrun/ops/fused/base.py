"""What the operations have in common that the optimiser makes of several others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol
from typing import TypeVar as _TypeVar

import numpy as np

from irrun.ops import Array, Fact, Fold, In, Op, Out
from irrun.ops.declaration import _Spec
from irrun.tensor.element_type import ANY

FUSED: Final = "fused"
"""Stands for the opset, which such an operation has not."""


class Memory(Protocol):
    """Where a kernel gets room for what it returns."""

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """An array with anything in it."""
        ...

    def like(self, array: Array) -> Array:
        """An array of the same shape and type, whose axes lie in memory in the same order."""
        ...


class Fused(Op):
    """An operation that stands for several layers. No file can name it.

    It yields the ``fact`` that the last of them yields. ``parts`` are their names, that of the first one in front.
    """

    inputs = (In("data", ANY, variadic=True, optional=True),)
    outputs = (Out("output", ANY),)
    foldable = Fold.NEVER

    def __init__(self, fact: Fact) -> None:
        self.parts: tuple[str, ...] = ()
        self.fact = Fact(fact.type, fact.shape)

    def infer(self, *inputs: Fact | None) -> Fact:  # noqa: ARG002
        return self.fact

    def __repr__(self) -> str:
        return f"{self.type}({self.fact})"


_Class = _TypeVar("_Class", bound=type[Fused])


def fused(type: str) -> Callable[[_Class], _Class]:
    """Name a class of fused operations. It is not among the declarations that files are read by."""

    def declare(cls: _Class) -> _Class:
        cls.type, cls.opset, cls.page = type, FUSED, ""
        cls.spec = _Spec()  # type: ignore[assignment]
        return cls

    return declare
