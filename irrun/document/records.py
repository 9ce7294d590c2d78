"""Records of the elements of an IR as written, before interpretation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from irrun.tensor import ElementType
from irrun.tensor.element_type import BY_NAME, BY_PRECISION


class InfoElement(NamedTuple):
    """An element inside a ``<rt_info>``, with its attributes as written, and the elements or the text inside it."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[InfoElement, ...] = ()
    text: str = ""


Info = tuple[InfoElement, ...]
"""The content of a ``<rt_info>``; empty where there is none."""


class PortElement(NamedTuple):
    """``<port>``. ``dims`` are the texts of its ``<dim>`` elements, ``info`` is the content of its ``<rt_info>``.

    ``scattered`` are the ordinals of those elements where they do not directly follow the port's own.
    """

    element: int
    id: str
    precision: str | None
    names: str | None
    dims: tuple[str, ...]
    scattered: tuple[int, ...] = ()
    info: Info = ()

    @property
    def dim_elements(self) -> Sequence[int]:
        """The ordinals of the ``<dim>`` elements."""
        return self.scattered or range(self.element + 1, self.element + 1 + len(self.dims))


class EdgeElement(NamedTuple):
    """``<edge>`` between two ports."""

    element: int
    from_layer: str
    from_port: str
    to_layer: str
    to_port: str


class MapElement(NamedTuple):
    """``<input>`` or ``<output>`` of a ``<port_map>``, with its attributes as written."""

    element: int
    kind: str
    attributes: Mapping[str, str]


class BackEdgeElement(NamedTuple):
    """``<edge>`` of ``<back_edges>``: a Result of the body feeds a Parameter of the next iteration."""

    element: int
    from_layer: str
    to_layer: str


class BodyElement(NamedTuple):
    """A sub-graph of a layer, with the port map that connects it to the layer's ports."""

    element: int
    tag: str
    net: NetElement
    port_map: tuple[MapElement, ...]
    back_edges: tuple[BackEdgeElement, ...]


class LayerElement(NamedTuple):
    """``<layer>``. ``data`` holds the attributes of its ``<data>``, ``data_element`` the ordinal of that element.

    ``info`` is the content of its ``<rt_info>``.
    """

    element: int
    id: str
    name: str
    type: str
    version: str | None
    output_names: str | None
    data: Mapping[str, str]
    data_element: int | None
    inputs: tuple[PortElement, ...]
    outputs: tuple[PortElement, ...]
    bodies: tuple[BodyElement, ...]
    info: Info = ()


class MeanElement(NamedTuple):
    """``<mean>`` of a channel: a number, or an image in the weights file."""

    element: int
    value: str | None
    offset: str | None
    size: str | None


class ChannelElement(NamedTuple):
    """``<channel>`` of ``<pre-process>``."""

    element: int
    id: str | None
    mean: MeanElement | None


class PreProcessElement(NamedTuple):
    """``<pre-process>``: means to subtract from the Parameter called ``reference``."""

    element: int
    reference: str | None
    channels: tuple[ChannelElement, ...]


class NetElement(NamedTuple):
    """``<net>``, or the content of a body."""

    element: int
    name: str
    version: str | None
    layers: tuple[LayerElement, ...]
    edges: tuple[EdgeElement, ...]
    pre_process: PreProcessElement | None = None


def element_type(precision: str | None) -> ElementType | None:
    """Return the type that ``precision`` of a port names, ``FP32`` or ``f32``; None where it is unknown."""
    return BY_PRECISION.get(precision or "") or BY_NAME.get(precision or "")


def tensor_names(text: str | None) -> tuple[str, ...]:
    """Split the tensor names of a port at commas; a backslash escapes a comma inside a name."""
    if text is None:
        return ()
    if "\\" not in text:
        return tuple([name for name in text.split(",") if name])
    parts = text.replace("\\,", "\0").split(",")
    return tuple([part.replace("\0", ",") for part in parts if part])


def dims_text(dims: Iterable[str]) -> str:
    """Format dims as ``[1,3,224,224]``, with ``?`` for a dynamic ``-1``."""
    return f"[{','.join('?' if dim == '-1' else dim for dim in dims)}]"
