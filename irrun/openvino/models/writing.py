"""Makes files of models: layers that no edit touched are those of the file that was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irrun.diagnostics import IRError
from irrun.document.content import Content
from irrun.document.original import Original
from irrun.document.records import Info
from irrun.document.rendering import noted
from irrun.document.rt_info import model_notes, net_info, notes_of
from irrun.document.weights import WeightsOutOfRange
from irrun.document.writer import IrFile
from irrun.model import Loaded
from irrun.model.interface import LEGACY
from irrun.openvino.models.elements import Elements
from irrun.openvino.models.halves import is_quantised
from irrun.openvino.models.reading import VERSION
from irrun.openvino.values.rt_info import plain, text
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.tensor.element_type import F32, F64


def written(value: Loaded, name: str, notes: Mapping[str, Any], *, halves: bool = False, version: str = "11") -> IrFile:
    """Return the files of a model, with the notes on it.

    With ``halves``, constants of f32 and f64 are stored in f16, where they lose little by it. RuntimeError where values
    of constants are not known, IRError where faults leave a layer without inputs.
    """
    original = None if value.origin is None or version == LEGACY else Original(value.origin)
    try:
        halves = halves and not is_quantised(value.bound.graph)
        content = _content(value, original, halves=halves)
        elements = Elements(value.weights, content, original, halves=halves, is_legacy=version == LEGACY)
        net = elements.net(value.bound.graph, value.facts, name, version)
        value.weights.check()
    except WeightsOutOfRange as error:
        raise RuntimeError(f"the model is not saved: {error}") from None
    except LookupError:
        if not value.diagnostics:
            raise RuntimeError("the model is not saved: it has an edge from an output that no layer has") from None
        raise IRError(value.diagnostics, value.filename) from None
    return IrFile(net, content, _notes(value, notes, original), original)


def _notes(value: Loaded, notes: Mapping[str, Any], original: Original | None) -> Info | None:
    """Return the entries of notes on a model; those that are as they were in the file as it has them."""
    given = text({key: plain(item) for key, item in notes.items() if key != VERSION})
    read = () if original is None or value.origin is None else net_info(value.origin)
    before = notes_of(read)
    if original is not None and value.origin is not None:
        same = model_notes(value.origin)
        if given == {key: item for key, item in same.items() if key != VERSION}:
            return None
    known = dict(zip(before, read, strict=False)) if len(before) == len(read) else {}
    return tuple(
        known[key] if key in known and before[key] == item else noted(key, item) for key, item in given.items()
    )


def _content(value: Loaded, original: Original | None, *, halves: bool) -> Content:
    """Return the content of the weights file: that of the model's, where all of its constants stay."""
    content = Content(value.weights)
    constants = [node.op for node in value.bound.graph.walk() if isinstance(node.op, Const)]
    if original is None or (halves and any(op.element_type in (F32, F64) for op in constants)):
        return content
    kept = {(str(op.offset), str(op.size)) for op in constants if not isinstance(op, HeldConst)}
    before = {(layer.data.get("offset"), layer.data.get("size")) for layer in original.layers if layer.type == "Const"}
    if kept and kept >= before and value.weights.exists:
        content.keep()
    return content
