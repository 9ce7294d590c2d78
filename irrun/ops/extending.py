"""Extensions: operations, lint rules, passes and kernels of others, from whatever names them."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final

from irrun.diagnostics import listing
from irrun.ops.blame import blamed, definition, described, is_own
from irrun.ops.importing import ExtensionError, SentFile, module_of
from irrun.ops.operation import OpClass
from irrun.ops.releases import is_meant_as_number

ExtensionSource = str | os.PathLike[str] | ModuleType | type | Any
"""A Python file, a module or its name, a class, or an ``OpExtension`` of OpenVINO's API."""

_FACTS: Final = {"operations": "opset", "rules": "code", "passes": "name", "kernels": "operation"}
"""The attribute by which a class of each kind is a declaration, and not a base of others."""


class ExtensionWarning(UserWarning):
    """An installed package offers something that cannot be used."""


@dataclass(frozen=True, slots=True)
class Additions:
    """The additions of one source; ``source`` names it in messages."""

    source: str
    operations: tuple[OpClass, ...] = ()
    rules: tuple[type[Any], ...] = ()
    passes: tuple[type[Any], ...] = ()
    kernels: tuple[type[Any], ...] = ()


def additions_of(source: ExtensionSource) -> Additions:
    """Return what a source adds; ExtensionError where it cannot be imported or used, or declares nothing."""
    if isinstance(source, Additions):
        return source
    name = name_of(source)
    given = module_of(source) if isinstance(source, str | os.PathLike | SentFile) else source
    if not isinstance(given, ModuleType | type) and not hasattr(given, "declared_operations"):
        kinds = "a Python file, a module, a class or an OpExtension"
        raise ExtensionError(f"{name} is of type {type(given).__name__}, expected {kinds}")
    found = _classes(given)
    if not found:
        raise ExtensionError(f"{name} declares no operation, rule or pass{_expected(given)}")
    by_kind: dict[str, list[Any]] = {kind: [] for kind in _FACTS}
    for cls in dict.fromkeys(found):
        by_kind[cls.adds].append(cls)
    for cls in by_kind["operations"]:
        _check(cls)
    for cls in (*by_kind["passes"], *by_kind["kernels"]):
        try:
            cls.require_usable()
        except ValueError as error:
            raise ExtensionError(str(error)) from None
    return Additions(name, *(tuple(by_kind[kind]) for kind in _FACTS))


def all_additions(sources: Iterable[ExtensionSource]) -> list[Additions]:
    """Return what ``extend`` has added, and what sources add; lists of sources count as their elements."""
    flat = [part for item in sources for part in (item if isinstance(item, list | tuple) else [item])]
    return [additions_of(source) for source in _replaced((*_extended, *flat))]


def name_of(source: ExtensionSource) -> str:
    """Return how messages name a source."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    if isinstance(source, SentFile):
        return source.path
    if isinstance(source, ModuleType):
        return source.__name__
    return source.__qualname__.rpartition(".")[2] if isinstance(source, type) else repr(source)


def identity(source: ExtensionSource) -> object:
    """Return a key that is the same for a class, and for the class that replaces it when its definition runs again."""
    cls = getattr(source, "made_by", source)
    if isinstance(cls, type):
        return cls.__module__, cls.__qualname__
    return source if isinstance(source, Hashable) else id(source)


def _replaced(sources: Iterable[ExtensionSource]) -> list[ExtensionSource]:
    """Return sources without classes that a later one of the same definition replaces."""
    last: dict[object, ExtensionSource] = {}
    for source in sources:
        key = identity(source)
        last.pop(key, None)
        last[key] = source
    return list(last.values())


# -- for every model


_extended: Final[list[ExtensionSource]] = []


def extend(*sources: ExtensionSource) -> None:
    """Add operations, rules and passes of one's own to those that every model may use from now on.

    ``sources`` are Python files, modules or their names, classes, or OpExtensions; ExtensionError where one cannot be
    used. A class whose definition runs again, as in a cell of a notebook, replaces the one before.
    """
    for source in sources:
        additions_of(source)
    _extended[:] = _replaced((*_extended, *sources))


def unextend(*sources: ExtensionSource) -> None:
    """Remove what ``extend`` added; all of it where no source is given. ExtensionError for a source it did not add."""
    keys = [identity(source) for source in sources]
    known = [identity(source) for source in _extended]
    for source, key in zip(sources, keys, strict=True):
        if key not in known:
            raise ExtensionError(f"{name_of(source)} was not added{_those(_extended)}")
    _extended[:] = [source for source in _extended if sources and identity(source) not in keys]


def extended() -> tuple[ExtensionSource, ...]:
    """Return the sources that were given to ``extend``."""
    return tuple(_extended)


def _those(sources: Iterable[ExtensionSource]) -> str:
    names = [name_of(source) for source in sources]
    return f", expected {listing(names)}" if names else "; nothing was"


# -- of installed packages


@functools.cache
def installed(group: str) -> tuple[Additions, ...]:
    """Return what installed packages add by the entry points of a group; an ExtensionWarning for an unusable one."""
    from importlib import metadata

    found = []
    for point in metadata.entry_points(group=group):
        where = f"the entry point {point.name} of {point.dist.name if point.dist is not None else 'a package'}"
        try:
            with blamed(where):
                source = point.load()
            found.append(replace(additions_of(source), source=where))
        except Exception as error:
            cause = str(error).removeprefix(where).strip()
            warn(f"{where} {cause if cause.startswith('fails') else f'cannot be used: {cause}'}")
    return tuple(found)


def warn(text: str) -> None:
    """Issue an ExtensionWarning."""
    warnings.warn(text, ExtensionWarning, stacklevel=3)


# -- classes


def _classes(source: Any) -> list[Any]:
    """Return the classes of a source that declare something, those of OpenVINO's API as irrun's."""
    if not isinstance(source, ModuleType):
        return _declarations(source)
    found = []
    for name, item in vars(source).items():
        if isinstance(item, type) and not is_own(item):
            fact = _FACTS.get(getattr(item, "adds", ""))
            if hasattr(item, "declared_operations") and not name.startswith("_"):
                found += _declarations(item)
            elif fact is not None and fact in vars(item):
                found.append(item)
    return found


def _declarations(source: Any) -> list[Any]:
    """Return a class that declares something, or the declarations that it stands for; none for other classes."""
    if not hasattr(source, "declared_operations"):
        return [source] if getattr(source, "adds", None) in _FACTS else []
    try:
        return list(source.declared_operations())
    except Exception as error:
        what = f"{name_of(source)} at {definition(source.__init__, source)} cannot be made without inputs"
        raise ExtensionError(f"{what}: {described(error)}") from error


def _expected(source: Any) -> str:
    """Return what was probably meant by a source that declares nothing."""
    for item in vars(source).values() if isinstance(source, ModuleType) else (source,):
        bases = item.__mro__[1:] if isinstance(item, type) else ()
        if any(base.__module__.startswith("openvino.") and base.__name__ == "Op" for base in bases):
            return f"; {item.__name__} derives from openvino.Op, expected irrun.Op (import irrun as ov)"
    return ", expected a class that derives from Op, Rule or Pass" if isinstance(source, type) else ""


def _check(cls: OpClass) -> None:
    """Raise ExtensionError where a class is not a usable declaration."""
    if "opset" not in vars(cls):
        raise ExtensionError(f'{cls.__name__} is not declared, expected @op("{cls.__name__}", opset="extension")')
    if not isinstance(cls.opset, str) or not cls.opset or is_meant_as_number(cls.opset):
        what = f"{cls.__name__} is declared in opset {cls.opset}, which is OpenVINO's"
        raise ExtensionError(f'{what}; expected a domain of its own, such as opset="extension"')
    for hook in ("infer", "run"):
        if not callable(getattr(cls, hook, None)):
            raise ExtensionError(f"{cls.type} of {cls.opset} has no method {hook}")
    if not (cls.__doc__ or "").strip():
        raise ExtensionError(f"{cls.type} of {cls.opset} has no docstring, which irrun ops prints")
    try:
        _ = cls.spec
    except (KeyError, NameError, TypeError, AttributeError) as error:
        raise ExtensionError(f"the declaration of {cls.type} of {cls.opset} cannot be used: {error!r}") from error
