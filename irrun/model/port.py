"""Inputs and outputs of a model, in the words of OpenVINO's Python API."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.tensor import ElementType, Shape


class Port:
    """An input or output of a model. ``names`` are tensor names; ``node_name`` is that of the layer.

    ``element_type`` is what callers give or get, ``declared_type`` what the file declares and the model computes in:
    they differ in IR version 10 only.
    """

    __slots__ = ("declared_type", "element_type", "index", "names", "node_name", "partial_shape", "result_name")

    def __init__(
        self,
        index: int,
        node_name: str,
        names: Iterable[str],
        element_type: ElementType,
        partial_shape: Shape,
        result_name: str = "",
        declared_type: ElementType | None = None,
    ) -> None:
        self.index = index
        self.node_name = node_name
        self.names = frozenset(names)
        self.element_type = element_type
        self.declared_type = declared_type if declared_type is not None else element_type
        self.partial_shape = partial_shape
        self.result_name = result_name

    @property
    def any_name(self) -> str:
        """One of the tensor names, the name of the layer where there is none."""
        return min(self.names) if self.names else self.node_name

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes; ``Undecided`` where one of them is dynamic."""
        return self.partial_shape.static

    @property
    def all_names(self) -> tuple[str, ...]:
        """Everything the port can be called by."""
        return tuple(dict.fromkeys([*sorted(self.names), self.node_name, self.result_name]))

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
    """The port that is called ``name``: tensor names first, then layer names."""
    candidates = list(ports)
    for port in candidates:
        if name in port.names:
            return port
    return next((port for port in candidates if name in (port.node_name, port.result_name)), None)
