"""JSON schemas of records, made from the types of the records."""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

_PLAIN: Final[Mapping[Any, dict[str, Any]]] = {
    Any: {},
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}
_NUMBER: Final = {
    "description": "A number; NaN and infinity, which JSON does not have, are texts.",
    "anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}],
}


def record_schema(record: Any, title: str) -> str:
    """Return the schema of a record as text, draft 2020-12.

    ``record`` is a type: of JSON values, of lists and mappings of them, a union, or a class whose fields are the keys
    of an object: a TypedDict, a dataclass or a NamedTuple. An object has no other keys, unless a TypedDict has a key
    ``__extra_items__``, whose type is that of other keys. Each class is a definition, with its docstring as the
    description. The metadata of ``Annotated`` are a class that replaces the type, such as the dataclass that became a
    dict, or a mapping with further keywords of the schema. TypeError for other types, and for two classes of one name.
    """
    maker = _Maker()
    root = maker.schema(record)
    definitions = {"$defs": dict(sorted(maker.found.items()))} if maker.found else {}
    whole = {"$schema": DRAFT, "title": title, **root, **definitions}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


class _Maker:
    """Makes schemas of types, and keeps those of the classes that it meets."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}
        self._classes: dict[str, Any] = {}

    def schema(self, kind: Any) -> dict[str, Any]:
        origin, arguments = get_origin(kind), get_args(kind)
        if kind is float:
            self.found["number"] = _NUMBER
            return {"$ref": "#/$defs/number"}
        if origin is None and kind in _PLAIN:
            return dict(_PLAIN[kind])
        if origin in (Annotated, NotRequired):
            return self._annotated(arguments[0], arguments[1:])
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.schema(item) for item in arguments]}
        if origin is tuple and arguments[1:] != (...,):
            items = [self.schema(item) for item in arguments]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "items": False}
        if inspect.isclass(origin) and issubclass(origin, Sequence):
            return {"type": "array", "items": self.schema(arguments[0])}
        if inspect.isclass(origin) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.schema(arguments[1])}
        if inspect.isclass(kind) and issubclass(kind, Enum):
            return {"enum": [str(item) for item in kind]}
        return self._reference(kind)

    def _annotated(self, kind: Any, metadata: Sequence[Any]) -> dict[str, Any]:
        classes = [item for item in metadata if not isinstance(item, Mapping)]
        keywords = [item for item in metadata if isinstance(item, Mapping)]
        found = self.schema(classes[0] if classes else kind)
        return {key: value for part in (found, *keywords) for key, value in part.items()}

    def _reference(self, kind: Any) -> dict[str, Any]:
        """Return a reference to the definition of a class."""
        name = getattr(kind, "__name__", str(kind))
        if self._classes.setdefault(name, kind) is not kind:
            raise TypeError(f"two records are called {name}")
        if name not in self.found:
            self.found[name] = {}
            self.found[name] |= self._object(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, kind: Any) -> dict[str, Any]:
        hints = get_type_hints(kind, include_extras=True) if inspect.isclass(kind) else {}
        extra = hints.pop("__extra_items__", None)
        if dataclasses.is_dataclass(kind):
            names = [item.name for item in dataclasses.fields(kind) if item.repr]
        elif is_typeddict(kind) or hasattr(kind, "_fields"):
            names = list(hints)
        else:
            raise TypeError(f"{kind} is no record")
        description = " ".join(inspect.cleandoc(kind.__doc__ or "").replace("``", "").split())
        return {
            **({"description": description} if description else {}),
            "type": "object",
            "properties": {name: self.schema(hints[name]) for name in names},
            "required": [name for name in names if not _is_optional(kind, name, hints[name])],
            "additionalProperties": False if extra is None else self.schema(extra),
        }


def _is_optional(kind: Any, name: str, hint: Any) -> bool:
    return get_origin(hint) is NotRequired or name in getattr(kind, "__optional_keys__", ())
