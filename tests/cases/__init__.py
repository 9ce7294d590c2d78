"""Operation cases: data, one module for each module of irrun/ops."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irrun.document.writer import Writer

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One call of an operation and what it must give.

    ``inputs`` and ``expected`` are arrays in the carrier of their type (None for an absent optional input). ``types``
    names element types that the dtype does not tell, by input index: ``{0: "bf16"}``. ``constant`` lists the inputs
    that are constants in the model of which the native plugin is asked, all but the first where it does not;
    ``dynamic`` says that sizes of the others are not known there. ``departs`` is the key of the departure because of
    which the native plugin gives something else, in ``departures`` of the operation or among those that are general.
    """

    type: str
    opset: int | str
    inputs: Sequence[Array | None]
    expected: Sequence[Array]
    attributes: dict[str, Any] = field(default_factory=dict)
    source: Literal["page", "formula", "oracle"] = "formula"
    name: str = ""
    rtol: float = 1e-5
    atol: float = 1e-6
    types: dict[int, str] = field(default_factory=dict)
    constant: Sequence[int] | None = None
    dynamic: bool = False
    departs: str = ""

    def __str__(self) -> str:
        return f"{self.type}-{self.opset}{'-' if self.name else ''}{self.name}"


@dataclass(frozen=True)
class ModelCase:
    """A model around an operation that means something only among others, and what it must give.

    ``build`` writes the model; ``inputs`` are for its Parameters, ``expected`` for its Results, in their order. One
    request infers with the same inputs ``runs`` times, and ``expected`` is what it gives the last time. The others are
    those of ``Case``.
    """

    type: str
    opset: int | str
    build: Callable[[Writer], None]
    inputs: Sequence[Array]
    expected: Sequence[Array]
    source: Literal["page", "formula", "oracle"] = "formula"
    name: str = ""
    rtol: float = 1e-5
    atol: float = 1e-6
    departs: str = ""
    runs: int = 1

    def __str__(self) -> str:
        return f"{self.type}-{self.opset}{'-' if self.name else ''}{self.name}"


AnyCase = Case | ModelCase


@dataclass(frozen=True)
class Invalid:
    """A use of an operation that is wrong, and the message that says so.

    A text such as ``f32[1,?,3]`` stands for an input of which no more is known.
    """

    type: str
    opset: int | str
    inputs: Sequence[Array | str | None]
    message: str
    attributes: dict[str, Any] = field(default_factory=dict)
    input: int | None = None
    attribute: str | None = None
    types: dict[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.type}-{self.opset}-{self.message[:40]}"


def f32(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float32)


def f64(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def i32(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.int32)


def i64(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.int64)


def u8(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.uint8)


def boolean(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.bool_)


def modules() -> Iterator[Any]:
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not module.ispkg:
            yield importlib.import_module(module.name)


def all_cases() -> list[Case]:
    return [case for module in modules() for case in getattr(module, "CASES", [])]


def all_models() -> list[ModelCase]:
    return [case for module in modules() for case in getattr(module, "MODELS", [])]


def all_invalid() -> list[Invalid]:
    return [case for module in modules() for case in getattr(module, "INVALID", [])]
