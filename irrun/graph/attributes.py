"""Reads the attributes of a layer as its operation declares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, OpError, Severity, near_match
from irrun.document.grammar import nearest
from irrun.document.records import LayerElement
from irrun.ops.declaration import REFUSED, REQUIRED
from irrun.ops.spec import (
    AttributeMissing,
    AttributeUnknown,
    AttributeUnreadable,
    AttrSpec,
)
from irrun.tensor import UNBOUNDED, Shape

MOST_DIMS: Final = 64


class RankTooHigh(OpError):
    """A shape has more dims than an array can have."""

    code = "IR404"


class Read(NamedTuple):
    """The values by field, None where the layer cannot be understood without what is wrong with them."""

    values: dict[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]


def attributes(layer: LayerElement, known: Mapping[str, AttrSpec], *, mend: bool) -> Read:
    """The attributes of a layer, of those that are ``known`` by their spelling in the IR.

    With ``mend`` what a misspelt one says is taken for what it was meant to be.
    """
    values: dict[str, Any] = {}
    found: list[Diagnostic] = []
    unread = False
    for name, text in layer.data.items():
        if name in known:
            try:
                values[known[name].field] = _value(known[name], text)
            except OpError as error:
                found.append(_finding(error.code, error.message, Anchor(layer.data_element, "value", name)))
                unread = True
    if len(values) < len(known) or len(layer.data) > len(known):
        strangers = [name for name in layer.data if name not in known]
        absent = [spec for name, spec in known.items() if name not in layer.data]
        complete = _strangers(layer, strangers, known, absent, values, found, mend=mend)
        complete = _absent(layer, absent, values, found) and complete
        unread = unread or not complete
    return Read(None if unread else values, tuple(found))


def _strangers(
    layer: LayerElement,
    strangers: Iterable[str],
    known: Iterable[str],
    absent: list[AttrSpec],
    values: dict[str, Any],
    found: list[Diagnostic],
    *,
    mend: bool,
) -> bool:
    """Report attributes that the operation does not have, and take from ``absent`` those that they were meant for.

    False where what was meant cannot be told.
    """
    left: list[str] = []
    complete = True
    for name in strangers:
        close = nearest(name, [spec.name for spec in absent])
        meant = next((spec for spec in absent if spec.name == close), None)
        if meant is None:
            left.append(name)
            continue
        absent.remove(meant)
        _unknown(layer, [name], f"; did you mean {meant.name}?", Severity.ERROR, found)
        if not mend:
            complete = complete and not meant.required
            continue
        try:
            values[meant.field] = _value(meant, layer.data[name])
        except OpError:
            complete = False
    required = [spec for spec in absent if spec.required]
    if left and required:
        absent[:] = [spec for spec in absent if not spec.required]
        lacks = " and ".join(spec.name for spec in required)
        _unknown(layer, left, f", and lacks {lacks}, which it requires", Severity.ERROR, found)
        return False
    if left:
        close = near_match(left[0], known) if len(left) == 1 else ""
        _unknown(layer, left, close, Severity.ERROR if close else Severity.WARNING, found)
    return complete


def _absent(layer: LayerElement, absent: Iterable[AttrSpec], values: dict[str, Any], found: list[Diagnostic]) -> bool:
    """Report attributes that are absent where that is wrong or matters; False where nothing takes their place."""
    anchor = Anchor(layer.data_element if layer.data_element is not None else layer.element)
    required: list[str] = []
    notes: list[str] = []
    changed: list[Diagnostic] = []
    refused: list[AttrSpec] = []
    complete = True
    for spec in absent:
        if spec.openvino is REFUSED:
            refused.append(spec)
            continue
        if spec.openvino is not REQUIRED:
            values[spec.field] = spec.openvino
        elif spec.required:
            complete = False
        else:
            continue
        nothing = "ones or zeros" if spec.kind == "ints" else "none"
        reads = "" if spec.openvino is REQUIRED else spec.text(spec.openvino) or nothing
        if spec.required:
            required.append(spec.name)
            notes += [f"OpenVINO reads {spec.name} as {reads} and says nothing"] if reads else []
        else:
            what = f"{spec.name} is absent: OpenVINO reads {reads}, the specification says {spec.text(spec.default)}"
            changed.append(_finding("IR310", what, anchor, Severity.WARNING))
    if required:
        names = f"attribute {required[0]}" if len(required) == 1 else f"attributes {' and '.join(required)}"
        message = f"{layer.type} requires the {names}"
        found.append(_finding(AttributeMissing.code, message, anchor, notes=tuple(notes)))
    else:
        found += changed
        found += [_refused(refused, anchor)] if refused else []
    return complete


def _refused(absent: Sequence[AttrSpec], anchor: Anchor) -> Diagnostic:
    """One finding for attributes that OpenVINO demands and the specification does not."""
    names = " and ".join(spec.name for spec in absent)
    values = " and ".join(spec.text(spec.default) for spec in absent)
    verb = "is" if len(absent) == 1 else "are"
    what = f"{names} {verb} absent: OpenVINO refuses the layer, the specification says {values}"
    return _finding("IR312", what, anchor, Severity.WARNING)


def _value(spec: AttrSpec, text: str) -> Any:
    value = spec.parse(text)
    spec.check(value)
    if isinstance(value, Shape) and value.dims is not None:
        if len(value.dims) > MOST_DIMS:
            what = f"{spec.name} has {len(value.dims)} dims, expected {MOST_DIMS} at most"
            raise RankTooHigh(what, attribute=spec.name)
        if any(dim.lo >= UNBOUNDED for dim in value.dims):
            raise AttributeUnreadable(f'{spec.name}="{text}": a dim does not fit into 64 bits', attribute=spec.name)
    return value


def _unknown(layer: LayerElement, names: Sequence[str], rest: str, severity: Severity, found: list[Diagnostic]) -> None:
    """One finding for attributes that the operation does not have."""
    subject = f"attribute {names[0]}" if len(names) == 1 else f"attributes {' and '.join(names)}"
    anchor = Anchor(layer.data_element, "name", names[0])
    found.append(_finding(AttributeUnknown.code, f"{layer.type} has no {subject}{rest}", anchor, severity))


def _finding(
    code: str, message: str, anchor: Anchor, severity: Severity = Severity.ERROR, notes: tuple[str, ...] = ()
) -> Diagnostic:
    return Diagnostic(code, message, anchor, severity, notes=notes)
