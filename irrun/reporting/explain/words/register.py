"""The register of words for operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from irrun.graph import Graph, Node
from irrun.ops.attributes import AttrSpec
from irrun.ops.context import BodyPorts
from irrun.tensor import Dim, Fact

Words = tuple[list[str], list[str]]
"""Sentences on what a layer computes, and on why its outputs have their shapes."""


class Seen(NamedTuple):
    """A layer with what is known of its tensors; ``ports`` is the port map of the body that it is in."""

    node: Node
    inputs: tuple[Fact | None, ...]
    outputs: tuple[Fact | None, ...]
    graph: Graph
    ports: BodyPorts | None

    @property
    def op(self) -> Any:
        return self.node.op

    @property
    def is_known(self) -> bool:
        """True where no port is missing, and the ranks of the first input and output are known.

        Words with numbers need them.
        """
        ends = (*self.inputs[:1], *self.outputs[:1])
        is_whole = len(self.inputs) >= self.op.spec.least_inputs and (bool(self.outputs) or self.node.type in _ENDS)
        return is_whole and all(fact is not None and fact.rank is not None for fact in ends)

    def input(self, port: int) -> Fact | None:
        return self.inputs[port] if port < len(self.inputs) else None

    def ints(self, port: int) -> list[int] | None:
        """Return the known integers of an input; None where they are not known."""
        fact = self.input(port)
        values = None if fact is None else fact.ints()
        return None if values is None else list(values)

    def numbers(self, port: int) -> list[str] | None:
        """Return the known numbers of an input as texts of six digits; None where they are not known."""
        fact = self.input(port)
        values = None if fact is None else fact.constant
        if values is None or values.dtype.kind not in "fiu":
            return None
        return [number_text(item) for item in values.reshape(-1).tolist()]

    @property
    def is_whole(self) -> bool:
        """True where the first input has integers."""
        return self.inputs[0] is not None and self.inputs[0].type.is_integer

    def sizes(self, port: int = 0) -> list[Dim]:
        """Return the sizes of an input of known rank; none where the rank is not known."""
        fact = self.input(port)
        return [] if fact is None or fact.shape.dims is None else list(fact.shape.dims)

    @property
    def result(self) -> list[Dim]:
        """The sizes of output 0."""
        fact = self.outputs[0] if self.outputs else None
        return [] if fact is None or fact.shape.dims is None else list(fact.shape.dims)


_ENDS: Final = ("Assign", "Result")
"""Operations without outputs in a file."""

Writer = Callable[[Seen], Words]

WORDS: Final[dict[str, Writer]] = {}


def says(*types: str) -> Callable[[Writer], Writer]:
    """Register the words for operations of some types."""

    def register(writer: Writer) -> Writer:
        WORDS.update(dict.fromkeys(types, writer))
        return writer

    return register


def attribute_text(item: AttrSpec, value: Any) -> str:
    """Return the value of an attribute with six digits of floats."""
    if isinstance(value, tuple) and any(isinstance(part, float) for part in value):
        return ", ".join(f"{part:.6g}" for part in value)
    return f"{value:.6g}" if isinstance(value, float) else item.text(value)


def number_text(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def shape_text(fact: Fact | None) -> str:
    return "an unknown shape" if fact is None else str(fact.shape)


def times(sizes: Iterable[Any]) -> str:
    """Return sizes as ``3x3``."""
    return "x".join(map(str, sizes))


def listed(items: Sequence[Any]) -> str:
    """Return items as ``1, 2 and 3``."""
    texts = list(map(str, items))
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def axes_text(axes: Sequence[int], rank: int) -> str:
    """Return axes, counted from the front, as ``axis 1`` or ``axes 1 and 2``."""
    found = sorted(axis % rank if rank else axis for axis in axes)
    if not found:
        return "no axis"
    return f"axis {found[0]}" if len(found) == 1 else f"axes {listed(found)}"


def nth(dims: Sequence[Dim]) -> str:
    return f"[{','.join(map(str, dims))}]"
