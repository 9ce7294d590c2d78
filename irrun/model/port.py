"""Inputs and outputs of a model, with the methods of OpenVINO's Python API."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.tensor import ElementType, Shape


class Port:
    """An input or output of a model. ``names`` are tensor names; ``node_name`` is the name of the layer.

    ``tensor_names`` are further names of the tensor that an output returns, where the output has names of its own.

    ``element_type`` is the type that callers pass or receive, ``declared_type`` the type that the file declares and the
    model computes in. The two differ in IR version 10 only.
    """

    __slots__ = (
        *("declared_type", "element_type", "index", "names", "node_name", "partial_shape", "result_name"),
        "tensor_names",
    )

    def __init__(
        self,
        index: int,
        node_name: str,
        names: Iterable[str],
        element_type: ElementType,
        partial_shape: Shape,
        result_name: str = "",
        declared_type: ElementType | None = None,
        *,
        tensor_names: Iterable[str] = (),
    ) -> None:
        self.index = index
        self.node_name = node_name
        self.names: frozenset[str] = frozenset(names)
        self.element_type = element_type
        self.declared_type: ElementType = declared_type if declared_type is not None else element_type
        self.partial_shape = partial_shape
        self.result_name = result_name
        self.tensor_names: frozenset[str] = frozenset(tensor_names) - self.names

    @property
    def any_name(self) -> str:
        """The first tensor name in alphabetical order; the name of the layer where there is none."""
        return min(self.names) if self.names else self.node_name

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes as integers; Undecided where one is dynamic."""
        return self.partial_shape.static

    @property
    def all_names(self) -> tuple[str, ...]:
        """Every name that the port can be found by."""
        return tuple(dict.fromkeys([*sorted(self.names), *sorted(self.tensor_names), self.node_name, self.result_name]))

    def get_names(self) -> set[str]:
        return set(self.names)

    def get_any_name(self) -> str:
        return self.any_name

    def get_partial_shape(self) -> Shape:
        return self.partial_shape

    def get_element_type(self) -> ElementType:
        return self.element_type

    def get_index(self) -> int:
        return self.index

    def __repr__(self) -> str:
        return f'<Port "{self.any_name}" {self.element_type}{self.partial_shape}>'


def find(ports: Iterable[Port], name: str) -> Port | None:
    """Return the port called ``name``: tensor names first, then layer names; None where there is none."""
    candidates = list(ports)
    named = next((port for port in candidates if name in port.names), None)
    named = named or next((port for port in candidates if name in port.tensor_names), None)
    return named or next((port for port in candidates if name in (port.node_name, port.result_name)), None)
