"""The parts of a declaration: inputs, outputs, type variables, attributes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from irrun.tensor import ElementType
from irrun.tensor.element_type import (
    BF16,
    BOOLEAN,
    F16,
    F32,
    F64,
    I16,
    I32,
    I64,
    INTEGER,
    U1,
    U3,
    U6,
    U8,
    U16,
    U32,
    U64,
)


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED: Final[Any] = _Required()


class _Refused:
    def __repr__(self) -> str:
        return "refused"


REFUSED: Final[Any] = _Refused()

Types = frozenset[ElementType]

Also = Mapping[ElementType, ElementType]
"""Types that the page excludes and OpenVINO computes, each with the type in which irrun computes it."""

FLAGS: Final[Also] = {BOOLEAN: U8}
"""Booleans are 0 and 1."""

COUNTED: Final[Also] = {BOOLEAN: I32}
"""Booleans are 0 and 1, and are added."""

CUT: Final[Also] = dict.fromkeys((F16, BF16, F32, F64), I64)
"""Floats are integers, without their fractions."""

WIDENED: Final[Also] = dict.fromkeys((I16, U16, U64), I64)
"""Integers of other widths."""

FLOATED: Final[Also] = dict.fromkeys(INTEGER - {U1, U3, U6}, F32)
"""Integers are floats."""

FLOATED_WIDE: Final[Also] = dict.fromkeys((I16, I32, I64, U16, U32, U64), F32)
"""Integers of 16 bits and more are floats."""

FLAGS_FLOATED: Final[Also] = {**FLOATED, BOOLEAN: F32}
"""Integers are floats, and booleans are 0 and 1."""

TRUTHS: Final[Also] = dict.fromkeys((*CUT, *FLOATED), BOOLEAN)
"""Numbers other than 0 are true."""


class TypeVar:
    """An element type that is the same at every port of one operation that uses the variable."""

    __slots__ = ("also", "among", "name")

    def __init__(self, name: str, among: Types, also: Also | None = None) -> None:
        self.name: Final = name
        self.among: Final = among
        self.also: Final = also or {}

    def __repr__(self) -> str:
        return self.name


class In:
    """An input port. ``rank`` is the rank required by the specification, one or several; None for any.

    A ``variadic`` input is the last one and stands for one or more ports. ``also`` are types beyond those of the page.
    """

    __slots__ = ("also", "doc", "name", "optional", "rank", "type", "variadic")

    def __init__(
        self,
        name: str,
        type: TypeVar | Types | ElementType,
        doc: str = "",
        *,
        optional: bool = False,
        variadic: bool = False,
        rank: int | tuple[int, ...] | None = None,
        also: Also | None = None,
    ) -> None:
        self.name: Final = name
        self.type: Final = type
        self.also: Final = type.also if isinstance(type, TypeVar) else also or {}
        self.doc: Final = doc
        self.optional: Final = optional
        self.variadic: Final = variadic
        self.rank: Final = (rank,) if isinstance(rank, int) else rank


class Out:
    """An output port. Its type is a variable, a fixed type, or the name of the attribute that holds it.

    With a set of types, or with a variable that no input binds, ``infer`` returns the whole ``Fact``.
    """

    __slots__ = ("doc", "name", "type", "variadic")

    def __init__(
        self, name: str, type: TypeVar | Types | ElementType | str, doc: str = "", *, variadic: bool = False
    ) -> None:
        self.name: Final = name
        self.type: Final = type
        self.doc: Final = doc
        self.variadic: Final = variadic


class Attr:
    """The declaration of one attribute, created by ``attr``."""

    __slots__ = ("aliases", "bounds", "default", "doc", "exact", "name", "openvino")

    def __init__(
        self,
        default: Any,
        name: str | None,
        doc: str,
        bounds: dict[str, float],
        openvino: Any,
        aliases: Mapping[str, str],
        *,
        exact: bool,
    ) -> None:
        self.default: Final = default
        self.name: Final = name
        self.doc: Final = doc
        self.bounds: Final = bounds
        self.openvino: Final = openvino
        self.aliases: Final = aliases
        self.exact: Final = exact


def attr(
    default: Any = REQUIRED,
    *,
    name: str | None = None,
    doc: str = "",
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    openvino: Any = REQUIRED,
    aliases: Mapping[str, str] | None = None,
    exact: bool = False,
) -> Any:
    """Declare an attribute.

    ``default`` is the default on the specification page; without one the attribute is required. ``openvino`` is the
    value that OpenVINO uses for an absent attribute, given only where it differs from the page: REFUSED where OpenVINO
    has no default and refuses the layer. ``name`` is the spelling in the IR where that is not a Python name. ``ge``,
    ``gt``, ``le``, ``lt`` bound the value, or every element of a list. ``aliases`` maps words that only OpenVINO knows
    to those of the page. ``exact`` marks the few attributes that OpenVINO
    reads to the letter: words in this case only, numbers without a suffix.
    """
    bounds: dict[str, float] = {}
    for sign, bound in ((">=", ge), (">", gt), ("<=", le), ("<", lt)):
        if bound is not None:
            bounds[sign] = bound
    return Attr(default, name, doc, bounds, openvino, aliases or {}, exact=exact)


MOST_IN_32_BITS: Final = 2**31 - 1
"""The largest value of an attribute that OpenVINO holds in 32 bits: larger ones become others there."""

MODEL_OPTIMIZER: Final = "Model Optimizer"


class Legacy:
    """Attributes without meaning that an old ``writer`` left in its files and OpenVINO ignores.

    ``since`` and ``until`` are the first and the last release that wrote them, empty where unknown.
    """

    __slots__ = ("names", "since", "until", "writer")

    def __init__(self, *names: str, writer: str = MODEL_OPTIMIZER, since: str = "", until: str = "") -> None:
        self.names: Final = names
        self.writer: Final = writer
        self.since: Final = since
        self.until: Final = until

    def __str__(self) -> str:
        """Return ``Model Optimizer, 2020.1 to 2021.2``."""
        if self.since and self.until:
            return f"{self.writer}, {self.since} to {self.until}"
        if self.since or self.until:
            return f"{self.writer}, {f'from {self.since} on' if self.since else f'up to {self.until}'}"
        return self.writer


ANYWHERE: Final = (
    Legacy("PrimitivesPriority", writer="users, to choose the kernels of a layer"),
    Legacy("alt_width", writer="users, for the GNA plugin"),
    Legacy("auto_broadcast"),
    Legacy("precision", until="2019 R3"),
    Legacy(
        *("execOrder", "execTimeMcs", "execType", "originalLayersNames", "outputLayouts", "outputPrecisions"),
        *("primitiveType", "runtimePrecision"),
        writer="OpenVINO, in graphs that it has executed",
    ),
)
"""The leftover attributes of any layer."""

IGNORED: Final = frozenset([name for legacy in ANYWHERE for name in legacy.names])
"""The names of the leftover attributes of any layer."""


class Fold(Enum):
    """Conditions for computing an output before the model runs."""

    NEVER = "never"
    """The output is random, stateful, or depends on more than the inputs."""
    VALUES = "values"
    """All inputs must be fully known."""
    DIMS = "dims"
    """Inputs may also be object arrays of ``Dim``: ``run`` only does integer arithmetic or moves elements."""
    BOUNDS = "bounds"
    """As ``DIMS``, and floats may be known between bounds: each output rises, or falls, with one input while the others
    stay."""

    @property
    def takes_dims(self) -> bool:
        return self in (Fold.DIMS, Fold.BOUNDS)
