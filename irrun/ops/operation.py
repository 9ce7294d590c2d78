"""The base class of operations with their hooks, and the decorator that declares one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, dataclass_transform
from typing import TypeVar as _TypeVar

from irrun.ops.declaration import Fold, In, Legacy, Out, attr
from irrun.ops.spec import OpSpec

if TYPE_CHECKING:
    from irrun.kernels.elementwise import Elementwise
    from irrun.ops.departures import Departure
    from irrun.ops.refuting import Refutation


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(attr,))
class Op:
    """An operation of the IR with its attributes, as one layer holds it.

    ``infer`` accepts a ``Fact`` for each input (None for an absent optional one) and returns a ``Shape`` or a ``Fact``
    for each output; types of returned shapes follow from the declaration. ``run`` maps arrays to arrays. Both return a
    tuple for several outputs. A hook requests further arguments by keyword: ``bodies`` for sub-graphs, ``state`` for
    variables, ``weights`` for the weights file. ``refute`` accepts the declared ``Shape`` of each output and the facts
    of the inputs, and yields a ``Refutation`` for each output that is impossible whatever their unknown values are,
    where ``infer`` cannot express it: a multiple, a number of elements. ``multiply_adds`` counts the arithmetic of
    ``run``, from the ``Sizes`` of its tensors, where products dominate it. A ``view`` has the elements of its first
    input in another shape, or with the axes in another order. ``reads_slices`` is true where ``run`` is as fast on a
    slice of the channels of a tensor. ``departures`` lists differences between OpenVINO's CPU plugin and the
    specification page: under a short key, the words that follow "OpenVINO's CPU plugin", or a ``Departure`` that the
    linter recognises; ``workarounds`` says, under the same keys, what to write in an IR instead. ``factors`` are the
    inputs whose elements are multiplied and summed; they are rounded where less than f32 is asked for. ``alike`` are
    groups of outputs whose sizes are equal along each axis on which inference leaves them open. ``workspace`` bounds
    what ``run`` allocates beside its outputs, in bytes for each element of inputs and outputs; blocks of a few MiB come
    on top. ``hooks`` are the methods behind ``infer`` and ``run`` that messages name in their place.
    """

    adds: ClassVar[str] = "operations"

    type: ClassVar[str]
    opset: ClassVar[int | str]
    page: ClassVar[str | None]
    inputs: ClassVar[tuple[In, ...]] = ()
    outputs: ClassVar[tuple[Out, ...]] = ()
    legacy: ClassVar[tuple[Legacy, ...]] = ()
    foldable: ClassVar[Fold] = Fold.VALUES
    view: ClassVar[bool] = False
    reads_slices: ClassVar[bool] = False
    bodies: ClassVar[tuple[str, ...]] = ()
    departures: ClassVar[Mapping[str, str | Departure]] = {}
    workarounds: ClassVar[Mapping[str, str]] = {}
    factors: ClassVar[tuple[int, ...]] = ()
    alike: ClassVar[tuple[tuple[int, ...], ...]] = ()
    workspace: ClassVar[int] = 24
    hooks: ClassVar[Mapping[str, Callable[..., Any]]] = {}
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
    refute: Callable[..., Iterator[Refutation]] | None = None
    multiply_adds: Callable[..., int] | None = None

    def elementwise(self) -> Elementwise | None:
        """Return the function of each element that ``run`` computes for one float tensor; None for other operations."""
        return None

    @property
    def has_effects(self) -> bool:
        """Return whether ``run`` may do more than to return its outputs."""
        return not {"state", "bodies"}.isdisjoint(self.spec.run_asks)

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{self.type}-{self.opset}({values})"


OpClass = type[Op]


class LazySpec:
    """Builds the ``OpSpec`` of a class on first access."""

    def __get__(self, instance: object, owner: type[Op]) -> OpSpec:
        owner.spec = OpSpec.of(owner)
        return owner.spec


DECLARED: Final[dict[str, dict[int | str, type[Op]]]] = {}

_Declared = _TypeVar("_Declared", bound=type[Op])


def op(type: str, *, opset: int | str, page: str | None = "") -> Callable[[_Declared], _Declared]:
    """Declare a class as the operation that an IR calls ``type``, from ``opset`` on.

    ``page`` names the specification page where it is not ``<type>-<opset>`` in lower case; None where there is none, as
    for an operation that OpenVINO does not have. The classes of irrun are
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
        cls.spec = LazySpec()  # type: ignore[assignment]
        return cls

    return declare
