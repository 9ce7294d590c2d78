"""RELAX NG of IR v10 and v11: every declared operation with its attributes, by type and version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from lxml import etree
from lxml.builder import ElementMaker

from irrun.document.grammar import ATTRIBUTES, LEGACY_ATTRIBUTES, LEGACY_CHILDREN, MAPS, VERSIONS
from irrun.ops import Op
from irrun.ops.attributes import UNDEFINED, AttrSpec
from irrun.ops.available import BUILT_IN, Operations
from irrun.ops.registry import CONSTANT, EXACT, LATEST
from irrun.ops.spec import OpSpec
from irrun.schema import patterns
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

Element = Any

_RNG: Final = "http://relaxng.org/ns/structure/1.0"
_TYPES: Final = "http://www.w3.org/2001/XMLSchema-datatypes"
_E: Final = ElementMaker(namespace=_RNG, nsmap={None: _RNG})

_ID: Final = "[0-9]+"
_SIGNED: Final = r"\s*[+-]?[0-9]+\s*"
_OPSETS: Final = tuple(f"opset{number}" for number in range(1, LATEST + 1))
_DOMAINS: Final = ("experimental", "extension")
"""The domains, besides those that declare operations, in which OpenVINO looks up operations of the opsets."""


def relaxng(operations: Operations = BUILT_IN) -> str:
    """Return the schema as text.

    A layer is valid where it names an operation and has the attributes of that operation, or where its version is not
    that of an opset. Every file that OpenVINO can read, by whichever of its tools it was written, is valid.
    """
    versions = {cls: _versions(cls, operations) for cls in operations.declarations()}
    root = _E.grammar(
        _E.start(_E.ref(name="net")),
        _net(),
        *_structure(),
        *_values(),
        *_bounded(versions),
        _define("layer", _E.choice(*(_E.ref(name=_name(cls.spec)) for cls in versions), _E.ref(name="foreign"))),
        *(_operation(cls.spec, known) for cls, known in versions.items()),
        _foreign(versions),
        datatypeLibrary=_TYPES,
    )
    etree.indent(root, space="  ")
    text: str = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


# -- layers


def _versions(cls: type[Op], operations: Operations) -> list[str]:
    """Return the versions by which a file may refer to an operation."""
    domains = dict.fromkeys((*_OPSETS, *_DOMAINS, cls.spec.version))
    return [version for version in domains if operations.find(cls.type, version) is cls]


def _operation(spec: OpSpec, versions: Iterable[str]) -> Element:
    required = [attribute for attribute in spec.attributes if attribute.required]
    ignored = sorted(spec.ignored - {attribute.name for attribute in spec.attributes})
    data = _E.element(
        *(_E.attribute(_content(attribute), name=attribute.name) for attribute in required),
        *_optional(attribute for attribute in spec.attributes if not attribute.required),
        _some_of(ignored, _E.text()),
        name="data",
    )
    parts = [data if required else _E.optional(data), _E.ref(name="parts")]
    if spec.bodies:
        parts.append(_E.ref(name="bodies"))
    return _define(
        _name(spec),
        _E.element(
            _E.ref(name="identity"),
            _E.attribute(_type(spec.type), name="type"),
            _E.attribute(_E.choice(*map(_value, versions)), name="version"),
            _E.interleave(*parts),
            name="layer",
        ),
    )


def _type(type: str) -> Element:
    """Return a pattern for a type, in any case where OpenVINO ignores it."""
    if type not in EXACT:
        return _words([type])
    other = [_pattern(patterns.in_any_case([CONSTANT]))] if type.lower() in CONSTANT else []
    return _E.choice(_value(type), *other)


def _foreign(versions: dict[type[Op], list[str]]) -> Element:
    """Define layers whose version is a domain that a library adds to OpenVINO."""
    of_opsets = _pattern(f"({patterns.misspelt('opset')})?[^a-zA-Z]*")
    known: dict[str, list[str]] = {}
    for cls, found in versions.items():
        for version in found:
            if version not in _OPSETS:
                known.setdefault(version, []).append(cls.type)
    groups = [
        _E.group(
            _E.attribute(_any_but(*map(_value, types)), name="type"),
            _E.attribute(_value(version), name="version"),
        )
        for version, types in sorted(known.items())
    ]
    others = _E.group(
        _E.attribute(_E.text(), name="type"),
        _E.attribute(_any_but(*map(_value, sorted(known)), of_opsets), name="version"),
    )
    data = _E.optional(_E.element(_E.ref(name="anything"), name="data"))
    parts = _E.interleave(data, _E.ref(name="parts"), _E.ref(name="bodies"))
    return _define("foreign", _E.element(_E.ref(name="identity"), _E.choice(*groups, others), parts, name="layer"))


# -- attributes


def _optional(attributes: Iterable[AttrSpec]) -> Iterator[Element]:
    """Yield the attributes that may be absent, grouped by equal content.

    libxml2 tries every subset of the optional patterns that a layer matches, so fewer patterns validate faster.
    """
    alike: dict[tuple[object, ...], list[AttrSpec]] = {}
    for spec in attributes:
        alike.setdefault((spec.kind, spec.choices, spec.exact, tuple(spec.bounds.items())), []).append(spec)
    for specs in alike.values():
        yield _some_of([spec.name for spec in specs], _content(specs[0]))


def _some_of(names: Iterable[str], content: Element) -> Element:
    """Return a pattern for any subset of the named attributes; XML rules out repeated ones."""
    return _E.zeroOrMore(_E.attribute(_E.choice(*(_E.name(name) for name in names)), content))


def _content(spec: AttrSpec) -> Element:
    if spec.kind == "enum":
        return _E.choice(*map(_value, spec.choices)) if spec.exact else _words(spec.choices)
    if spec.kind == "type":
        return _E.choice(*map(_value, sorted(BY_NAME))) if spec.exact else _E.ref(name="type")
    pattern = patterns.pattern(spec)
    if pattern is None:
        return _E.text()
    if spec.exact and spec.kind in patterns.EXACT:
        return _pattern(pattern)
    return _E.ref(name=_kind(spec))


def _kind(spec: AttrSpec) -> str:
    """Return the name of the content of an attribute: its kind and bounds."""
    words = {">": "above", ">=": "from", "<=": "to"}
    bounds = [f".{words[sign]}.{bound}" for sign, bound in spec.bounds.items()]
    return spec.kind + ("".join(bounds) if patterns.bounded(spec) is not None else "")


def _values() -> Iterator[Element]:
    """Define the content of attributes, by kind."""
    yield _define("type", _words([*sorted(BY_NAME), UNDEFINED]))
    for kind, pattern in patterns.KINDS.items():
        words = [_value("true"), _value("false")] if kind == "bool" else []
        yield _define(kind, _E.choice(*words, _pattern(pattern)) if words else _pattern(pattern))


def _bounded(versions: Iterable[type[Op]]) -> Iterator[Element]:
    """Define the numbers within the bounds of attributes, by kind and bounds."""
    found = {_kind(spec): patterns.bounded(spec) for cls in versions for spec in cls.spec.attributes}
    for name, pattern in sorted(found.items()):
        if pattern is not None:
            yield _define(name, _pattern(pattern))


# -- structure shared by all layers and nets


def _net() -> Element:
    return _define(
        "net",
        _E.element(
            _E.optional(_E.attribute(_E.text(), name="name")),
            _E.attribute(_E.choice(*map(_value, VERSIONS)), name="version"),
            _E.ref(name="graph"),
            name="net",
        ),
    )


def _structure() -> Iterator[Element]:
    text = _E.text
    yield _define(
        "graph",
        _E.interleave(
            _E.element(_E.zeroOrMore(_E.ref(name="layer")), name="layers"),
            _E.element(_E.zeroOrMore(_E.ref(name="edge")), name="edges"),
            _E.ref(name="info"),
            _E.optional(_E.element(_E.ref(name="anything"), name="pre-process")),
            _legacy_children("net"),
        ),
    )
    yield _define("edge", _E.element(*_ids(*ATTRIBUTES["edge"]), name="edge"))
    yield _define(
        "identity",
        *_ids("id"),
        _E.attribute(text(), name="name"),
        _E.optional(_E.attribute(text(), name="output_names")),
        *_legacy_attributes("layer"),
    )
    yield _define(
        "parts",
        _E.interleave(
            _E.optional(_E.element(_E.zeroOrMore(_E.ref(name="input")), name="input")),
            _E.optional(_E.element(_E.zeroOrMore(_E.ref(name="output")), name="output")),
            _E.ref(name="info"),
            _legacy_children("layer"),
        ),
    )
    precisions = _E.choice(*map(_value, sorted({*BY_PRECISION, *BY_NAME})))
    yield _define("precision", _E.attribute(precisions, name="precision"))
    yield _define("input", _E.element(_E.optional(_E.ref(name="precision")), _E.ref(name="port"), name="port"))
    yield _define("output", _E.element(_E.ref(name="precision"), _E.ref(name="port"), name="port"))
    yield _define(
        "port",
        *_ids("id"),
        _E.optional(_E.attribute(text(), name="names")),
        _E.interleave(_E.zeroOrMore(_E.element(_pattern(r"\s*(-1|[0-9]+)\s*"), name="dim")), _E.ref(name="info")),
    )
    yield _define("info", _E.optional(_E.element(_E.ref(name="anything"), name="rt_info")))
    yield _define(
        "anything",
        _E.zeroOrMore(
            _E.choice(_E.attribute(_E.anyName(), text()), text(), _E.element(_E.anyName(), _E.ref(name="anything")))
        ),
    )
    yield _define("bodies", _E.interleave(*_bodies()))


def _bodies() -> Iterator[Element]:
    for body, port_map in MAPS.items():
        yield _E.optional(_E.element(_E.ref(name="graph"), name=body))
        entries = [_entry(kind) for kind in ("input", "output")]
        yield _E.optional(_E.element(_E.zeroOrMore(_E.choice(*entries)), name=port_map))
    edge = _E.element(*_ids(*ATTRIBUTES["back"]), *_legacy_attributes("back"), name="edge")
    yield _E.optional(_E.element(_E.zeroOrMore(edge), name="back_edges"))


def _entry(kind: str) -> Element:
    numbers = ("axis", "start", "end", "stride", "part_size")
    purposes = _E.choice(_value("current_iteration"), _value("execution_condition"))
    return _E.element(
        _E.attribute(_pattern(_SIGNED), name="external_port_id"),
        *_ids("internal_layer_id"),
        *(_E.optional(_E.attribute(_pattern(_SIGNED), name=name)) for name in numbers),
        _E.optional(_E.attribute(purposes, name="purpose")),
        *_legacy_attributes("map"),
        name=kind,
    )


def _ids(*names: str) -> list[Element]:
    return [_E.attribute(_pattern(_ID), name=name) for name in names]


def _legacy_attributes(kind: str) -> list[Element]:
    return [_E.optional(_E.attribute(_E.text(), name=name)) for name in LEGACY_ATTRIBUTES.get(kind, ())]


def _legacy_children(parent: str) -> Element:
    names = _E.choice(*(_E.name(name) for name in LEGACY_CHILDREN[parent]))
    return _E.zeroOrMore(_E.element(names, _E.ref(name="anything")))


def _define(name: str, *content: Element) -> Element:
    return _E.define(*content, name=name)


def _value(text: str) -> Element:
    return _E.value(text, type="string")


def _words(words: Iterable[str]) -> Element:
    """Return a pattern for any of some words, in any case; spelt out first, so that an editor can propose them."""
    return _E.choice(*map(_value, words), _pattern(patterns.in_any_case(words)))


def _pattern(pattern: str) -> Element:
    return _E.data(_E.param(pattern, name="pattern"), type="string")


def _any_but(*content: Element) -> Element:
    return _E.data(_E("except", _E.choice(*content)), type="string")


def _name(spec: OpSpec) -> str:
    return f"{spec.type}.{spec.version}"
