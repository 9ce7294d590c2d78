"""Base class of the operations that the optimiser creates from several layers."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self
from typing import TypeVar as _TypeVar

from irrun.ops import Fact, Fold, In, Op, Out
from irrun.ops.operation import LazySpec
from irrun.tensor.element_type import ANY

FUSED: Final = "fused"
"""The opset name of fused operations, which belong to no opset."""


class Fused(Op):
    """An operation that replaces several layers; no file can name it.

    Its fields are the annotations of its class, and of those that it extends. Its output has the ``fact`` of the last
    replaced layer. ``parts`` are the names of these layers, beginning with the first one.
    """

    inputs = (In("data", ANY, variadic=True, optional=True),)
    outputs = (Out("output", ANY),)
    foldable = Fold.NEVER
    workspace = 8
    has_effects = True

    fact: Fact
    parts: tuple[str, ...] = ()

    if not TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None:
            self.__dict__.update(fields)
            self.verify()

    def verify(self) -> None:
        """Complete the fields: a fact has no value."""
        self.fact = Fact(self.fact.type, self.fact.shape)

    def infer(self, *inputs: Fact | None) -> Fact:
        return self.fact

    def copied(self, **changes: Any) -> Self:
        """Return a copy with other fields, which computes its cached properties again."""
        made = copy(self)
        for name in [name for name in made.__dict__ if isinstance(getattr(type(made), name, None), cached_property)]:
            del made.__dict__[name]
        made.__dict__.update(changes)
        return made

    def release(self) -> None:
        """Forget what is ``prepared`` for NumPy on first use, and made again on the next."""
        self.__dict__.pop("prepared", None)

    def __repr__(self) -> str:
        return f"{self.type}({self.fact})"


_Class = _TypeVar("_Class", bound=type[Fused])


def fused(type: str) -> Callable[[_Class], _Class]:
    """Name a class of fused operations, without adding it to the declarations used for reading files."""

    def declare(cls: _Class) -> _Class:
        cls.type, cls.opset, cls.page = type, FUSED, ""
        cls.spec = LazySpec()  # type: ignore[assignment]
        return cls

    return declare
