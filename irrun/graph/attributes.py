"""Reads the attributes of a layer as its operation declares them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, OpError, Severity, did_you_mean, listing, nearest
from irrun.document.places import layer_ref
from irrun.document.records import LayerElement
from irrun.graph.faults import ChangedDefault, MissingForOpenvino
from irrun.ops.attributes import AttributeMissing, AttributeUnknown, AttributeUnreadable, AttrSpec
from irrun.ops.declaration import REFUSED, REQUIRED
from irrun.tensor import UNBOUNDED, Shape

MOST_DIMS: Final = 64


class RankTooHigh(OpError):
    """A shape has more dims than an array can have."""

    code = "IR404"


class ReadAttributes(NamedTuple):
    """The attribute values by field, with diagnostics; None where a fault leaves the layer without meaning."""

    values: dict[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]


def attributes(
    layer: LayerElement, known: Mapping[str, AttrSpec], ignored: Collection[str], *, correct: bool, fragment: bool
) -> ReadAttributes:
    """Read the attributes of a layer; ``known`` are the declared ones by their spelling in the IR.

    Any other attribute is reported unless it is in ``ignored``. Faulty attributes have the value that OpenVINO reads;
    with ``correct``, misspelt ones have the value that was probably meant. A ``fragment`` may leave out what only
    OpenVINO requires.
    """
    values: dict[str, Any] = {}
    found: list[Diagnostic] = []
    faulty: list[AttrSpec] = []
    for name, text in layer.data.items():
        if name in known:
            try:
                values[known[name].field] = _checked(known[name], text, known[name].parse(text))
            except OpError as error:
                faulty.append(known[name])
                found.append(_faulty(layer, known[name], text, error))
    if len(values) == len(known) == len(layer.data):
        return ReadAttributes(values, ())
    absent = [spec for name, spec in known.items() if name not in layer.data]
    unknown = [name for name in layer.data if name not in known and name not in ignored]
    meant = _meant(unknown, absent)
    lacking = _report_unknown(layer, unknown, meant, absent, found)
    _absent(
        layer, [spec for spec in absent if spec not in meant.values() and spec not in lacking], found, fragment=fragment
    )
    if correct:
        complete = not faulty and not lacking and _corrected(layer, meant, absent, values)
    else:
        complete = _as_read(layer, faulty, values) and _defaults(absent, values)
    return ReadAttributes(values if complete else None, tuple(found))


def _checked(spec: AttrSpec, text: str, value: Any) -> Any:
    """Return a parsed value; OpError where it is out of range."""
    if spec.bounds:
        spec.check(value)
    if isinstance(value, Shape) and value.dims is not None:
        if len(value.dims) > MOST_DIMS:
            what = f"{spec.name} has {len(value.dims)} dims, expected at most {MOST_DIMS}"
            raise RankTooHigh(what, attribute=spec.name)
        if any(dim.lo >= UNBOUNDED for dim in value.dims):
            raise AttributeUnreadable(f'{spec.name}="{text}": a dim does not fit into 64 bits', attribute=spec.name)
    return value


# -- values


def _corrected(
    layer: LayerElement, meant: Mapping[str, AttrSpec], absent: Iterable[AttrSpec], values: dict[str, Any]
) -> bool:
    """Add the values of misspelt attributes and the defaults of absent ones; False where one is undetermined."""
    for name, spec in meant.items():
        try:
            values[spec.field] = _checked(spec, layer.data[name], spec.parse(layer.data[name]))
        except OpError:
            return False
    return _defaults((spec for spec in absent if spec.field not in values), values)


def _as_read(layer: LayerElement, faulty: Iterable[AttrSpec], values: dict[str, Any]) -> bool:
    """Add the values that OpenVINO reads from faulty texts; False where it refuses one."""
    for spec in faulty:
        text = layer.data[spec.name]
        try:
            values[spec.field] = _checked(spec, text, spec.read(text))
        except OpError:
            return False
    return True


def _defaults(absent: Iterable[AttrSpec], values: dict[str, Any]) -> bool:
    """Add the values that OpenVINO uses for absent attributes; False where a required one has no such value."""
    for spec in absent:
        if spec.absent is not REFUSED:
            values[spec.field] = spec.absent
        elif spec.required:
            return False
    return True


# -- findings


def _faulty(layer: LayerElement, spec: AttrSpec, text: str, error: OpError) -> Diagnostic:
    """Return the finding for an attribute that cannot be read or is out of range."""
    notes: tuple[str, ...] = ()
    if isinstance(error, AttributeUnreadable):
        with contextlib.suppress(AttributeUnreadable):
            notes = (f"OpenVINO silently reads {_said(spec, spec.read(text))}",)
    return error.at(Anchor(layer.data_element, "value", spec.name), layer_ref(layer), notes=notes)


def _meant(unknown: Iterable[str], absent: Iterable[AttrSpec]) -> dict[str, AttrSpec]:
    """Match misspelt names with the absent attributes they were probably meant to be."""
    left = {spec.name: spec for spec in absent}
    found = {}
    for name in unknown:
        close = nearest(name, left)
        if close is not None:
            found[name] = left.pop(close)
    return found


def _report_unknown(
    layer: LayerElement,
    unknown: Sequence[str],
    meant: Mapping[str, AttrSpec],
    absent: Iterable[AttrSpec],
    found: list[Diagnostic],
) -> Sequence[AttrSpec]:
    """Report undeclared attributes, and return the missing required attributes that they may stand for."""
    for name, spec in meant.items():
        fitting = spec.name if _fits(spec, layer.data[name]) else None
        found.append(_unknown(layer, [name], did_you_mean(spec.name), meant=fitting))
    left = [name for name in unknown if name not in meant]
    if not left:
        return ()
    required = [spec for spec in absent if spec.required and spec not in meant.values()]
    if required:
        lacks = listing((spec.name for spec in required), "and")
        found.append(_unknown(layer, left, f", and lacks {lacks}, which it requires"))
    else:
        found.append(_unknown(layer, left, "")._replace(severity=Severity.WARNING))
    return required


def _fits(spec: AttrSpec, text: str) -> bool:
    """Return whether an attribute can have a text, so that giving it the text is a repair."""
    try:
        _checked(spec, text, spec.parse(text))
    except OpError:
        return False
    return True


def _unknown(layer: LayerElement, names: Sequence[str], rest: str, meant: str | None = None) -> Diagnostic:
    """Return one finding for attributes that the operation does not declare."""
    subject = f"attribute {names[0]}" if len(names) == 1 else f"attributes {listing(names, 'and')}"
    anchor = Anchor(layer.data_element, "name", names[0])
    return AttributeUnknown(f"{layer.type} has no {subject}{rest}", meant=meant).at(anchor, layer_ref(layer))


def _absent(layer: LayerElement, absent: Iterable[AttrSpec], found: list[Diagnostic], *, fragment: bool) -> None:
    """Report absent attributes that are required, or for which OpenVINO deviates from the default."""
    anchor = Anchor(layer.data_element if layer.data_element is not None else layer.element)
    required = [spec for spec in absent if spec.required]
    if required:
        names = listing((spec.name for spec in required), "and")
        message = f"{layer.type} requires the attribute{'s' if len(required) > 1 else ''} {names}"
        filled = [(spec.name, _said(spec, spec.absent)) for spec in required if spec.absent is not REFUSED]
        notes = tuple(f"OpenVINO silently reads {name} as {value}" for name, value in filled)
        found.append(AttributeMissing(message).at(anchor, layer_ref(layer), notes=notes))
        return
    for spec in absent:
        if spec.openvino is not REFUSED and spec.openvino is not REQUIRED:
            reads, says = _said(spec, spec.openvino), spec.text(spec.default)
            fault = ChangedDefault(name=spec.name, read=reads, default=says, severity=Severity.WARNING)
            found.append(fault.at(anchor, layer_ref(layer)))
    refused = [spec for spec in absent if spec.openvino is REFUSED]
    if refused and not fragment:
        absence = MissingForOpenvino(
            names=[spec.name for spec in refused],
            defaults=[spec.text(spec.default) for spec in refused],
            severity=Severity.WARNING,
        )
        found.append(absence.at(anchor, layer_ref(layer)))


def _said(spec: AttrSpec, value: Any) -> str:
    """Format a value for a message."""
    return spec.text(value) or ("ones or zeros" if spec.kind == "ints" else "none")
