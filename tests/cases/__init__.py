"""Operation cases: data, one module for each module of irrun/ops."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irrun.document.writer import Writer

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A call of an operation with the expected outputs.

    ``inputs`` and ``expected`` are arrays in the carrier of their type (None for an absent optional input). ``types``
    names the element types that a dtype does not determine, by input index: ``{0: "bf16"}``. The model for the native
    plugin holds the inputs listed in ``constant`` as constants, all but the first if it is None; with ``dynamic`` the
    sizes of its Parameters are unknown. ``departs`` is the key of the reason for another result of the native plugin,
    either in ``departures`` of the operation or among the general ones.
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
    """A model for an operation that needs other operations around it, with the expected outputs.

    ``build`` writes the model; ``inputs`` are for its Parameters, ``expected`` for its Results, in order. One request
    infers ``runs`` times with the same inputs, and ``expected`` are the outputs of the last time. The other fields are
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
    """An invalid use of an operation, and the message of the error.

    A string such as ``f32[1,?,3]`` is an input of which only type and shape are known.
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


ONLY: set[str] = set()
"""The types of the operations whose cases are wanted, by ``pytest --op``; all where it is empty."""


def named_after(types: Iterable[str]) -> re.Pattern[str]:
    """Return what matches the names of tests whose parameters name one of these operations."""
    return re.compile(rf"\[(?:.*-)?(?:{'|'.join(map(re.escape, types))})(?:-|\])")


def _listed(name: str) -> list[Any]:
    found = [case for module in modules() for case in getattr(module, name, [])]
    return [case for case in found if not ONLY or case.type in ONLY]


def all_cases() -> list[Case]:
    return _listed("CASES")


def all_models() -> list[ModelCase]:
    return _listed("MODELS")


def all_invalid() -> list[Invalid]:
    return _listed("INVALID")


OfAType = TypeVar("OfAType", Case, ModelCase, Invalid)


def by_type(cases: Iterable[OfAType]) -> dict[str, list[OfAType]]:
    """Return the cases of each type of operation."""
    found: dict[str, list[OfAType]] = {}
    for case in cases:
        found.setdefault(case.type, []).append(case)
    return dict(sorted(found.items()))
