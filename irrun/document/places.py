"""The places of findings about layers: the layer itself, the bodies around it, and the faulty part of it."""

from __future__ import annotations

from irrun.diagnostics import Anchor, Diagnostic, Fault, LayerRef, OpError
from irrun.document.records import LayerElement


def layer_ref(layer: LayerElement) -> LayerRef:
    return LayerRef(layer.id, layer.name, layer.type, layer.version or "")


def path_notes(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the note that names the bodies around a layer, none for the model itself."""
    return (f"in {' › '.join(path)}",) if path else ()


def at_layer(fault: Fault, layer: LayerElement | None, notes: tuple[str, ...] = ()) -> Diagnostic:
    """Return the finding of a fault of a whole layer, at no place where the layer is in no file."""
    if layer is None:
        return fault.at(notes=notes)
    return fault.at(Anchor(layer.element), layer_ref(layer), notes=notes)


def in_layer(
    fault: Fault | OpError, anchor: Anchor, layer: LayerElement, path: tuple[str, ...], port: str | None = None
) -> Diagnostic:
    """Return the finding of a fault in a layer."""
    return fault.at(anchor, layer_ref(layer), port, path_notes(path))


def op_diagnostic(
    error: OpError, layer: LayerElement | None, path: tuple[str, ...] = (), notes: tuple[str, ...] = ()
) -> Diagnostic:
    """Convert an operation's error to a finding, located at the attribute or input port that it names.

    ``layer`` is None for an operation that is in no file.
    """
    if layer is None:
        return error.at(notes=notes)
    anchor = Anchor(layer.element, "attribute", "type")
    port = None
    if error.attribute is not None:
        anchor = Anchor(layer.element)
        if layer.data_element is not None:
            anchor = Anchor(layer.data_element, "value" if error.attribute in layer.data else "tag", error.attribute)
    elif error.input is not None and error.input < len(layer.inputs):
        anchor = Anchor(layer.inputs[error.input].element)
        port = layer.inputs[error.input].id
    return error.at(anchor, layer_ref(layer), port, (*notes, *path_notes(path)))
