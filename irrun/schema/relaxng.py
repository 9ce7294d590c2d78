"""RELAX NG of IR v11: every declared operation with its attributes, by type and version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree
from lxml.builder import ElementMaker

from irrun.ops import Op
from irrun.ops.registry import LATEST, declarations
from irrun.ops.spec import AttrSpec, OpSpec
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

Element = Any

_RNG = "http://relaxng.org/ns/structure/1.0"
_TYPES = "http://www.w3.org/2001/XMLSchema-datatypes"
_E = ElementMaker(namespace=_RNG, nsmap={None: _RNG})
_NUMBER = r"\s*[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|nan)\s*"
_INTEGER = r"\s*[+-]?\d+\s*"
_DIM = r"\s*(\?|-1|\d+|\d*\.\.\d*)\s*"


def relaxng() -> str:
    """The schema as text: a layer is valid when it names an operation and has the attributes of that one."""
    specs = [cls.spec for cls in declarations()]
    root = _E.grammar(
        _E.start(_E.ref(name="net")),
        _net(),
        *_structure(),
        _define("layer", _E.choice(*(_E.ref(name=_name(spec)) for spec in specs))),
        *(_operation(spec, versions) for spec, versions in _with_versions(declarations())),
        datatypeLibrary=_TYPES,
    )
    etree.indent(root, space="  ")
    text: str = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _with_versions(classes: Iterable[type[Op]]) -> Iterator[tuple[OpSpec, list[str]]]:
    """Each declaration with the opsets in whose name a file may ask for it."""
    known = list(classes)
    for index, cls in enumerate(known):
        if isinstance(cls.opset, str):
            yield cls.spec, [cls.opset]
            continue
        following = known[index + 1] if index + 1 < len(known) else None
        last = LATEST
        if following is not None and following.type == cls.type and isinstance(following.opset, int):
            last = following.opset - 1
        yield cls.spec, [f"opset{number}" for number in range(cls.opset, last + 1)]


def _operation(spec: OpSpec, versions: list[str]) -> Element:
    attributes = [_attribute(attribute) for attribute in spec.attributes]
    data = _E.element(*attributes, name="data") if attributes else _E.element(_E.empty(), name="data")
    required = any(attribute.required for attribute in spec.attributes)
    parts = [data if required else _E.optional(data), _E.ref(name="ports"), _E.ref(name="info")]
    if spec.bodies:
        parts.append(_E.ref(name="bodies"))
    return _define(
        _name(spec),
        _E.element(
            _E.ref(name="identity"),
            _E.attribute(_E.value(spec.type), name="type"),
            _E.attribute(_E.choice(*(_E.value(version) for version in versions)), name="version"),
            _E.interleave(*parts),
            name="layer",
        ),
    )


def _attribute(spec: AttrSpec) -> Element:
    item = _E.attribute(_value(spec), name=spec.name)
    return item if spec.required else _E.optional(item)


def _value(spec: AttrSpec) -> Element:
    match spec.kind:
        case "enum":
            return _E.choice(*(_E.value(choice) for choice in spec.choices))
        case "bool":
            return _E.choice(*(_E.value(word) for word in ("true", "false", "1", "0")))
        case "type":
            return _E.choice(*(_E.value(name) for name in sorted(BY_NAME)))
        case "int":
            return _pattern(_INTEGER)
        case "float":
            return _pattern(_NUMBER)
        case "ints":
            return _pattern(_list(_INTEGER))
        case "floats":
            return _pattern(_list(_NUMBER))
        case "shape":
            return _pattern(rf"\s*\[?(\.\.\.|{_list(_DIM)})\]?\s*")
        case _:
            return _E.text()


def _net() -> Element:
    return _define(
        "net",
        _E.element(
            _E.optional(_E.attribute(_E.text(), name="name")),
            _E.attribute(_E.choice(_E.value("10"), _E.value("11")), name="version"),
            _E.ref(name="graph"),
            name="net",
        ),
    )


def _structure() -> Iterator[Element]:
    """What all layers and nets have in common."""
    text = _E.text
    number = _pattern(r"\d+")
    yield _define(
        "graph",
        _E.interleave(
            _E.element(_E.zeroOrMore(_E.ref(name="layer")), name="layers"),
            _E.element(_E.zeroOrMore(_E.ref(name="edge")), name="edges"),
            _E.ref(name="info"),
            _E.zeroOrMore(
                _E.element(
                    _E.choice(_E.name("meta_data"), _E.name("statistics"), _E.name("pre-process")),
                    _E.ref(name="anything"),
                )
            ),
        ),
    )
    ends = [_E.attribute(_pattern(r"\d+"), name=name) for name in ("from-layer", "from-port", "to-layer", "to-port")]
    yield _define("edge", _E.element(*ends, name="edge"))
    yield _define(
        "identity",
        _E.attribute(number, name="id"),
        _E.attribute(text(), name="name"),
        _E.optional(_E.attribute(text(), name="output_names")),
    )
    yield _define(
        "ports",
        _E.interleave(
            _E.optional(_E.element(_E.zeroOrMore(_E.ref(name="port")), name="input")),
            _E.optional(_E.element(_E.zeroOrMore(_E.ref(name="port")), name="output")),
        ),
    )
    precisions = _E.choice(*(_E.value(name) for name in sorted(BY_PRECISION)))
    yield _define(
        "port",
        _E.element(
            _E.attribute(_pattern(r"\d+"), name="id"),
            _E.attribute(precisions, name="precision"),
            _E.optional(_E.attribute(text(), name="names")),
            _E.interleave(_E.zeroOrMore(_E.element(_pattern(r"\s*(-1|\d+)\s*"), name="dim")), _E.ref(name="info")),
            name="port",
        ),
    )
    yield _define("info", _E.optional(_E.element(_E.ref(name="anything"), name="rt_info")))
    yield _define(
        "anything",
        _E.zeroOrMore(
            _E.choice(
                _E.attribute(_E.anyName(), _E.text()), _E.text(), _E.element(_E.anyName(), _E.ref(name="anything"))
            )
        ),
    )
    yield _define("bodies", _E.interleave(*_bodies()))


def _bodies() -> Iterator[Element]:
    for body, port_map in (("body", "port_map"), ("then_body", "then_port_map"), ("else_body", "else_port_map")):
        yield _E.optional(_E.element(_E.ref(name="graph"), name=body))
        entries = [_entry(kind) for kind in ("input", "output")]
        yield _E.optional(_E.element(_E.zeroOrMore(_E.choice(*entries)), name=port_map))
    ends = [_E.attribute(_pattern(r"\d+"), name=name) for name in ("from-layer", "to-layer")]
    yield _E.optional(_E.element(_E.zeroOrMore(_E.element(*ends, name="edge")), name="back_edges"))


def _entry(kind: str) -> Element:
    optional = [
        _E.optional(_E.attribute(_pattern(_INTEGER), name=n)) for n in ("axis", "start", "end", "stride", "part_size")
    ]
    purposes = _E.choice(_E.value("current_iteration"), _E.value("execution_condition"))
    return _E.element(
        _E.attribute(_pattern(_INTEGER), name="external_port_id"),
        _E.attribute(_pattern(r"\d+"), name="internal_layer_id"),
        *optional,
        _E.optional(_E.attribute(purposes, name="purpose")),
        name=kind,
    )


def _define(name: str, *content: Element) -> Element:
    return _E.define(*content, name=name)


def _pattern(pattern: str) -> Element:
    return _E.data(_E.param(pattern, name="pattern"), type="string")


def _list(item: str) -> str:
    return rf"({item}(,{item})*)?\s*"


def _name(spec: OpSpec) -> str:
    return f"{spec.type}.{spec.version}"
