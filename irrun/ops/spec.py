"""The plain-data view of a declaration, used by linter, schemas, docs and command line."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypedDict, Union

from irrun.diagnostics import listing, near_match
from irrun.ops.attributes import AttributeMissing, AttributeUnknown, AttrKind, AttrSpec
from irrun.ops.declaration import IGNORED, REQUIRED, Also, Attr, Fold, In, Legacy, Out, Types, TypeVar
from irrun.tensor import ElementType, Shape
from irrun.tensor.element_type import ANY, FLOAT, INTEGER, NUMERIC

if typing.TYPE_CHECKING:
    from irrun.ops.departures import Departure

OpClass = type[Any]
"""A class that declares an operation."""

_KINDS: Final[dict[Any, AttrKind]] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "string",
    tuple[int, ...]: "ints",
    tuple[float, ...]: "floats",
    tuple[str, ...]: "strings",
    ElementType: "type",
    Shape: "shape",
}
_TOKENIZERS: Final = "docs/tokenizers.md"
"""The page of the operations of openvino_tokenizers, which have no specification pages."""
_PAGES: Final = "https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs"


class AttributeRecord(TypedDict):
    """An attribute; ``default`` is its text, null where there is none, ``bounds`` are numbers by sign: >, >=, <, <=."""

    name: str
    kind: AttrKind
    required: bool
    default: str | None
    choices: list[str]
    bounds: dict[str, float]
    doc: str


class LegacyRecord(TypedDict):
    """Attributes without meaning that old releases of a writer left."""

    names: list[str]
    writer: str
    since: str
    until: str


class InRecord(TypedDict):
    """An input port; ``rank`` holds the ranks that are allowed, null for any.

    ``also`` are types that the specification excludes, each with the one as which OpenVINO and irrun read it.
    """

    name: str
    type: str
    also: dict[str, str]
    optional: bool
    variadic: bool
    rank: list[int] | None
    doc: str


class OutRecord(TypedDict):
    """An output port."""

    name: str
    type: str
    variadic: bool
    doc: str


class OpRecord(TypedDict):
    """The declaration of an operation in one version."""

    type: str
    version: str
    category: str
    summary: str
    attributes: list[AttributeRecord]
    legacy: list[LegacyRecord]
    inputs: list[InRecord]
    outputs: list[OutRecord]
    bodies: list[str]
    departures: dict[str, str]
    workarounds: dict[str, str]
    page: str


class OpSpec(NamedTuple):
    """A declaration as plain data.

    ``ignored`` are the attributes without meaning that a layer may have, ``recognised`` the departures that the linter
    finds in a file. ``most_inputs`` is None where the last port is variadic; ``fixed_inputs`` counts the others.
    ``also`` holds, for each input that has some, the types that the page excludes and OpenVINO computes.
    """

    type: str
    version: str
    category: str
    summary: str
    doc: str
    attributes: tuple[AttrSpec, ...]
    legacy: tuple[Legacy, ...]
    ignored: frozenset[str]
    inputs: tuple[In, ...]
    least_inputs: int
    most_inputs: int | None
    fixed_inputs: int
    also: Mapping[int, Also]
    outputs: tuple[Out, ...]
    bodies: tuple[str, ...]
    departures: Mapping[str, str]
    workarounds: Mapping[str, str]
    recognised: tuple[Departure, ...]
    foldable: Fold
    page: str
    infer_asks: tuple[str, ...]
    run_asks: tuple[str, ...]

    @staticmethod
    def of(cls: OpClass) -> OpSpec:
        """Return the view of a class that declares an operation."""
        doc = inspect.cleandoc(cls.__doc__ or "")
        category = cls.__module__.split(".")[-2] if cls.__module__.startswith("irrun.ops.") else "extension"
        opset = cls.opset
        page = f"{_PAGES}/{category}/{cls.page or f'{_kebab(cls.type)}-{opset}'}.html"
        page = _TOKENIZERS if category == "tokenizers" or cls.page == "tokenizers" else page
        return OpSpec(
            type=cls.type,
            version=f"opset{opset}" if isinstance(opset, int) else opset,
            category=category,
            summary=doc.split("\n\n")[0].replace("\n", " "),
            doc=doc,
            attributes=tuple(_attributes(cls)),
            legacy=cls.legacy,
            ignored=IGNORED.union(*[legacy.names for legacy in cls.legacy]),
            inputs=cls.inputs,
            least_inputs=len([port for port in cls.inputs if not port.optional]),
            most_inputs=None if cls.inputs and cls.inputs[-1].variadic else len(cls.inputs),
            fixed_inputs=len([port for port in cls.inputs if not port.variadic]),
            also={index: port.also for index, port in enumerate(cls.inputs) if port.also},
            outputs=cls.outputs,
            bodies=cls.bodies,
            departures={key: item if isinstance(item, str) else item.text for key, item in cls.departures.items()},
            workarounds=cls.workarounds,
            recognised=tuple(item for item in cls.departures.values() if not isinstance(item, str)),
            foldable=cls.foldable,
            page=cls.page or "" if category == "extension" or cls.page is None else page,
            infer_asks=_keywords(cls.infer),
            run_asks=_keywords(cls.run),
        )

    def as_dict(self) -> OpRecord:
        """Return the declaration, ready for JSON."""
        return {
            "type": self.type,
            "version": self.version,
            "category": self.category,
            "summary": self.summary,
            "attributes": [
                {
                    "name": a.name,
                    "kind": a.kind,
                    "required": a.required,
                    "default": None if a.required else a.text(a.default),
                    "choices": list(a.choices),
                    "bounds": dict(a.bounds),
                    "doc": a.doc,
                }
                for a in self.attributes
            ],
            "legacy": [
                {"names": list(item.names), "writer": item.writer, "since": item.since, "until": item.until}
                for item in self.legacy
            ],
            "inputs": [
                {
                    "name": i.name,
                    "type": type_text(i.type),
                    "also": {kind.name: read.name for kind, read in sorted(i.also.items(), key=str)},
                    "optional": i.optional,
                    "variadic": i.variadic,
                    "rank": list(i.rank) if i.rank is not None else None,
                    "doc": i.doc,
                }
                for i in self.inputs
            ],
            "outputs": [
                {"name": o.name, "type": type_text(o.type), "variadic": o.variadic, "doc": o.doc} for o in self.outputs
            ],
            "bodies": list(self.bodies),
            "departures": dict(self.departures),
            "workarounds": dict(self.workarounds),
            "page": self.page,
        }

    def attribute(self, name: str) -> AttrSpec | None:
        return next((attribute for attribute in self.attributes if attribute.name == name), None)

    def input(self, index: int) -> In:
        """Return the declaration of an input port; the last one stands for all further ports."""
        return self.inputs[min(index, len(self.inputs) - 1)]

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all attributes by field, with defaults filled in and bounds checked."""
        fields = {attribute.field: attribute for attribute in self.attributes}
        for name in given:
            if name not in fields:
                raise AttributeUnknown(f"{self.type} has no attribute {name}{near_match(name, fields)}", attribute=name)
        values = {}
        for field, attribute in fields.items():
            value = given.get(field, attribute.default)
            if value is REQUIRED:
                raise AttributeMissing(
                    f"{attribute.name} is missing; {self.type} requires it", attribute=attribute.name
                )
            attribute.check(value)
            values[field] = value
        return values

    def types(self) -> list[str]:
        """Return a description of the element types of each input."""
        return [type_text(port.type) for port in self.inputs]

    def notes(self) -> list[str]:
        """Return the paragraphs of the docstring that describe what the page leaves open."""
        paragraphs = (part.replace("\n", " ") for part in self.doc.split("\n\n"))
        return [part for part in paragraphs if part.startswith("Note:")]

    def departure(self, key: str, text: str | None = None) -> str:
        """Return the words of a departure, or others for one layer, with its workaround if one is known."""
        instead = self.workarounds.get(key)
        return f"{text or self.departures[key]}{f' (instead: {instead})' if instead else ''}"

    def beyond(self) -> list[str]:
        """Return sentences on the types that the page excludes and OpenVINO computes."""
        return [f"{port.name}: {also_text(port.also)}." for port in self.inputs if port.also]


def type_text(of: TypeVar | Types | ElementType | str) -> str:
    """Describe a type as ``T: any numeric type``, ``i64`` or ``attribute output_type``."""
    if isinstance(of, TypeVar):
        return f"{of.name}: {types_text(of.among)}"
    if isinstance(of, ElementType):
        return of.name
    return f"attribute {of}" if isinstance(of, str) else types_text(of)


def also_text(also: Also) -> str:
    """Describe types beyond the page: ``also boolean as u8``; empty where there are none."""
    parts = [
        f"{types_text(frozenset(kind for kind in also if also[kind] is read))} as {read}"
        for read in dict.fromkeys(also.values())
    ]
    return f"also {', '.join(parts)}" if parts else ""


def types_text(among: Types) -> str:
    """Describe a set of element types."""
    named = {ANY: "any type", NUMERIC: "any numeric type", FLOAT: "any float type", INTEGER: "any integer type"}
    return named.get(among) or listing(sorted(kind.name for kind in among))


def _attributes(cls: OpClass) -> typing.Iterator[AttrSpec]:
    """Yield the attributes that a class declares, in order, those of its bases first."""
    declared: dict[str, tuple[Attr, Any]] = {}
    for base in reversed(cls.__mro__):
        for field, text in inspect.get_annotations(base).items():
            attribute = vars(base).get(field)
            if isinstance(attribute, Attr):
                hint = eval(text, vars(sys.modules[base.__module__])) if isinstance(text, str) else text
                declared[field] = (attribute, hint)
    for field, (attribute, hint) in declared.items():
        kind, choices = _kind(hint)
        yield AttrSpec(
            attribute.name or field,
            field,
            kind,
            attribute.default,
            attribute.openvino,
            choices,
            attribute.bounds,
            attribute.doc,
            attribute.exact,
            attribute.aliases,
        )


def _keywords(hook: Callable[..., Any]) -> tuple[str, ...]:
    """Return the keyword-only parameters of a hook: ``bodies``, ``state``, ``weights``."""
    code = hook.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def _kind(hint: Any) -> tuple[AttrKind, tuple[str, ...]]:
    if typing.get_origin(hint) is Literal:
        return "enum", typing.get_args(hint)
    if typing.get_origin(hint) in (Union, types.UnionType):
        return _kind(next(part for part in typing.get_args(hint) if part is not type(None)))
    return _KINDS[hint], ()


def _kebab(type: str) -> str:
    """Convert ``GatherElements`` to ``gather-elements``, the file name of a specification page."""
    words = ""
    for index, letter in enumerate(type):
        after_small = index > 0 and (type[index - 1].islower() or type[index - 1].isdigit())
        before_small = index > 0 and index + 1 < len(type) and type[index + 1].islower()
        if letter.isupper() and index > 0 and (after_small or before_small):
            words += "-"
        words += letter.lower()
    return words
