"""The declaration of an operation: attributes, inputs, outputs, type variables, and five hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, dataclass_transform
from typing import TypeVar as _TypeVar

from irrun.ops.departures import Departure
from irrun.tensor import ElementType

if TYPE_CHECKING:
    from irrun.kernels.elementwise import Elementwise
    from irrun.ops.spec import OpSpec


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED: Final[Any] = _Required()


class _Refused:
    def __repr__(self) -> str:
        return "refused"


REFUSED: Final[Any] = _Refused()

Types = frozenset[ElementType]


class TypeVar:
    """An element type that is the same at every port of one operation that uses the variable."""

    __slots__ = ("among", "name")

    def __init__(self, name: str, among: Types) -> None:
        self.name: Final = name
        self.among: Final = among

    def __repr__(self) -> str:
        return self.name


class In:
    """An input port. ``rank`` is the rank required by the specification, one or several; None for any.

    A ``variadic`` input is the last one and stands for one or more ports.
    """

    __slots__ = ("doc", "name", "optional", "rank", "type", "variadic")

    def __init__(
        self,
        name: str,
        type: TypeVar | Types | ElementType,
        doc: str = "",
        *,
        optional: bool = False,
        variadic: bool = False,
        rank: int | tuple[int, ...] | None = None,
    ) -> None:
        self.name: Final = name
        self.type: Final = type
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

    __slots__ = ("bounds", "default", "doc", "exact", "name", "openvino")

    def __init__(
        self, default: Any, name: str | None, doc: str, bounds: dict[str, float], openvino: Any, *, exact: bool
    ) -> None:
        self.default: Final = default
        self.name: Final = name
        self.doc: Final = doc
        self.bounds: Final = bounds
        self.openvino: Final = openvino
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
    exact: bool = False,
) -> Any:
    """Declare an attribute.

    ``default`` is the default on the specification page; without one the attribute is required. ``openvino`` is the
    value that OpenVINO uses for an absent attribute, given only where it differs from the page: REFUSED where OpenVINO
    has no default and refuses the layer. ``name`` is the spelling in the IR where that is not a Python name. ``ge``,
    ``gt``, ``le``, ``lt`` bound the value, or every element of a list. ``exact`` marks the few attributes that OpenVINO
    reads to the letter: words in this case only, numbers without a suffix.
    """
    bounds = {sign: bound for sign, bound in ((">=", ge), (">", gt), ("<=", le), ("<", lt)) if bound is not None}
    return Attr(default, name, doc, bounds, openvino, exact=exact)


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


class Fold(Enum):
    """Conditions for computing an output before the model runs."""

    NEVER = "never"
    """The output is random, stateful, or depends on more than the inputs."""
    VALUES = "values"
    """All inputs must be fully known."""
    DIMS = "dims"
    """Inputs may also be object arrays of ``Dim``: ``run`` only does integer arithmetic or moves elements."""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(attr,))
class Op:
    """An operation of the IR with its attributes, as one layer holds it.

    ``infer`` accepts a ``Fact`` for each input (None for an absent optional one) and returns a ``Shape`` or a ``Fact``
    for each output; types of returned shapes follow from the declaration. ``run`` maps arrays to arrays. Both return a
    tuple for several outputs. A hook requests further arguments by keyword: ``bodies`` for sub-graphs, ``state`` for
    variables, ``weights`` for the weights file. ``multiply_adds`` counts the arithmetic of ``run``, from the ``Sizes``
    of its tensors, where products dominate it. A ``view`` has the elements of its first input in another shape, or with
    the axes in another order. ``reads_slices`` is true where ``run`` is as fast on a slice of the channels of a tensor.
    ``departures`` lists differences between OpenVINO's CPU plugin and the specification page: under a short key, the
    words that follow "OpenVINO's CPU plugin", or a ``Departure`` that the linter recognises. ``factors`` are the
    inputs that are multiplied with each other and added up, which are rounded where less than f32 is asked for.
    """

    type: ClassVar[str]
    opset: ClassVar[int | str]
    page: ClassVar[str]
    inputs: ClassVar[tuple[In, ...]] = ()
    outputs: ClassVar[tuple[Out, ...]] = ()
    legacy: ClassVar[tuple[Legacy, ...]] = ()
    foldable: ClassVar[Fold] = Fold.VALUES
    view: ClassVar[bool] = False
    reads_slices: ClassVar[bool] = False
    bodies: ClassVar[tuple[str, ...]] = ()
    departures: ClassVar[Mapping[str, str | Departure]] = {}
    factors: ClassVar[tuple[int, ...]] = ()
    spec: ClassVar[OpSpec]

    if not TYPE_CHECKING:

        def __init__(self, **attributes: Any) -> None:
            self.__dict__.update(self.spec.complete(attributes))
            self.verify()

    @classmethod
    def as_read(cls, values: Mapping[str, Any]) -> Self:
        """Return the operation with the values, by field, that were read from a file.

        Bounds are not checked: OpenVINO reads for some absent attributes what the specification does not allow.
        """
        op = cls.__new__(cls)
        op.__dict__.update({item.field: values.get(item.field, item.default) for item in cls.spec.attributes})
        op.verify()
        return op

    def verify(self) -> None:
        """Raise OpError where the attributes contradict each other."""

    infer: Callable[..., Any]
    run: Callable[..., Any]
    multiply_adds: Callable[..., int] | None = None

    def elementwise(self) -> Elementwise | None:
        """Return the function of each element that ``run`` computes for one float tensor; None for other operations."""
        return None

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{self.type}-{self.opset}({values})"


OpClass = type[Op]


class _Spec:
    """Builds the ``OpSpec`` of a class on first access."""

    def __get__(self, instance: object, owner: type[Op]) -> OpSpec:
        from irrun.ops.spec import OpSpec

        spec = OpSpec.of(owner)
        owner.spec = spec
        return spec


DECLARED: Final[dict[str, dict[int | str, type[Op]]]] = {}

_Declared = _TypeVar("_Declared", bound=type[Op])


def op(type: str, *, opset: int | str, page: str = "") -> Callable[[_Declared], _Declared]:
    """Declare a class as the operation that an IR calls ``type``, from ``opset`` on.

    ``page`` names the specification page where it is not ``<type>-<opset>`` in lower case. The classes of irrun are
    known everywhere; those of other modules only where ``extending.Operations`` has them.
    """

    def declare(cls: _Declared) -> _Declared:
        if cls.__module__.startswith("irrun.ops."):
            versions = DECLARED.setdefault(type, {})
            if opset in versions:
                raise TypeError(
                    f"{type} is declared twice in opset {opset}: {versions[opset].__module__}, {cls.__module__}"
                )
            versions[opset] = cls
        cls.type, cls.opset, cls.page = type, opset, page
        cls.spec = _Spec()  # type: ignore[assignment]
        return cls

    return declare
