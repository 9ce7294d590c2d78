"""Operations of users: classes in modules of theirs, declared like irrun's own, and of installed packages."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from irrun.diagnostics import OpError, did_you_mean, nearest
from irrun.ops import registry
from irrun.ops.operation import DECLARED, Op, OpClass
from irrun.ops.releases import is_meant_as_number

ExtensionSource = str | os.PathLike[str] | ModuleType | type
"""A Python file, a module, or a class."""

GROUP: Final = "irrun.operations"
"""The group of entry points by which an installed package offers modules or classes of operations."""


class ExtensionError(OpError):
    """A module of a user cannot be imported, or what it declares cannot be used."""

    code = "IR301"


class Operations:
    """The operations that a model may use: ``own`` first, then irrun's, then those of installed packages.

    A value: nothing else knows about ``own``. ExtensionError where one of them is no usable declaration.
    """

    def __init__(self, own: Iterable[OpClass] = ()) -> None:
        self.own = tuple(dict.fromkeys(own))
        self._own = _by_type(self.own)

    def find(self, type: str, version: str) -> OpClass | None:
        """Return the operation that a layer means; None where there is none."""
        found = _named(self._own, type, version) or registry.find(type, version)
        if found is None and not is_meant_as_number(version):
            return _named(_by_type(installed()), type, version)
        return found

    def spelling(self, type: str) -> str | None:
        """Return a type as its declaration spells it, from any case; None where there is no such operation."""
        return _spelling(self._own, type) or registry.spelling(type) or _spelling(_by_type(installed()), type)

    def resolve(self, type: str, version: str | None = None) -> OpClass:
        """Return the operation that ``registry.resolve`` describes; UnknownOperation also names near matches of own."""
        found = None if version is None else self.find(type, version)
        if found is not None:
            return found
        own = _spelling(self._own, type) or (None if registry.spelling(type) else self.spelling(type))
        if own is not None and version is None:
            return list((self._own.get(own) or _by_type(installed())[own]).values())[-1]
        try:
            return registry.resolve(type, version)
        except registry.UnknownOperation as error:
            meant = nearest(type, self._own) if self._own and error.attribute == "type" else None
            if own is not None:
                has = " and ".join(self._own.get(own, {}))
                what = f"no operation {type} in {version}; it is in {has}"
                raise registry.UnknownOperation(what, attribute="version", meant=None) from None
            if meant is None:
                raise
            where = f" in {version}" if version is not None else ""
            what = f"no operation {type}{where}{did_you_mean(meant)}"
            raise registry.UnknownOperation(what, attribute="type", meant=meant) from None

    def types(self) -> Iterator[str]:
        """Yield the types of own operations, and of those of irrun that are imported."""
        yield from (*self._own, *DECLARED)

    def declarations(self) -> Iterator[OpClass]:
        """Yield every declared version of every operation, by type and opset."""
        added = {(cls.type, cls.opset): cls for cls in (*installed(), *self.own)}
        yield from sorted((*registry.declarations(), *added.values()), key=lambda cls: cls.type)

    def shadows(self, op: Op) -> bool:
        """Return whether an operation is not irrun's, but has the type of one of irrun's."""
        return not is_own(type(op)) and registry.spelling(op.type) is not None


def operations_of(sources: Iterable[ExtensionSource]) -> Operations:
    """Return the operations of irrun together with those that files, modules or classes declare.

    ExtensionError where a file cannot be imported, or a declaration not be used.
    """
    return Operations(cls for source in sources for cls in _declared(source))


def classes_of(source: ExtensionSource, base: type, fact: str) -> list[Any]:
    """Return the classes of a source that derive from ``base`` and have the attribute ``fact`` of their own."""
    if isinstance(source, type):
        return [source] if issubclass(source, base) else []
    module = source if isinstance(source, ModuleType) else load(Path(source))
    found = [item for item in vars(module).values() if isinstance(item, type) and issubclass(item, base)]
    return [item for item in found if fact in vars(item) and not is_own(item)]


def load(path: Path) -> ModuleType:
    """Import a Python file as a module of its own, once for each content. ExtensionError where that fails."""
    import hashlib
    import importlib.util

    if path.exists() and (path.suffix != ".py" or not (path.is_file() or path.is_dir())):
        raise ExtensionError(f"{path} is no Python file, expected a name that ends in .py")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ExtensionError(f"{path} cannot be read: {error.strerror}, expected a Python file") from None
    digest = hashlib.sha256(os.fsencode(path.absolute()) + b"\0" + content).hexdigest()
    name = f"irrun_extension_{digest[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(content, path, "exec"), vars(module))
    except Exception as error:
        del sys.modules[name]
        raise ExtensionError(
            f"{path}{_row(error, path)} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    return module


@functools.cache
def installed() -> tuple[OpClass, ...]:
    """Return the operations of installed packages; ExtensionError where one cannot be imported."""
    return tuple(cls for source in entry_points(GROUP) for cls in _declared(source))


def entry_points(group: str) -> Iterator[ExtensionSource]:
    """Yield the modules and classes of a group of entry points."""
    from importlib import metadata

    for point in metadata.entry_points(group=group):
        try:
            yield point.load()
        except Exception as error:
            where = f"the entry point {point.name} of {point.dist.name if point.dist is not None else 'a package'}"
            raise ExtensionError(f"{where} cannot be imported: {type(error).__name__}: {error}") from error


def is_own(cls: type) -> bool:
    """Return whether a class is part of irrun."""
    return cls.__module__.partition(".")[0] == "irrun"


def _declared(source: ExtensionSource) -> list[OpClass]:
    found: list[OpClass] = classes_of(source, Op, "opset")
    if not found and isinstance(source, type) and issubclass(source, Op):
        found = [source]
    for cls in found:
        _check(cls)
    return found


def _check(cls: OpClass) -> None:
    """Raise ExtensionError where a class is no usable declaration."""
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


def _row(error: Exception, path: Path) -> str:
    """Return the line of the file at which an exception left it."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f":{error.lineno}"
    rows = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            rows.append(trace.tb_lineno)
        trace = trace.tb_next
    return f":{rows[-1]}" if rows else ""


def _by_type(classes: Iterable[OpClass]) -> dict[str, dict[str, OpClass]]:
    found: dict[str, dict[str, OpClass]] = {}
    for cls in classes:
        others = found.setdefault(cls.type, {})
        if str(cls.opset) in others:
            raise ExtensionError(f"{cls.type} is declared twice in {cls.opset}")
        others[str(cls.opset)] = cls
    return found


def _spelling(known: Mapping[str, object], type: str) -> str | None:
    return type if type in known else next((name for name in known if name.lower() == type.lower()), None)


def _named(known: Mapping[str, Mapping[str, OpClass]], type: str, version: str) -> OpClass | None:
    spelt = _spelling(known, type)
    return None if spelt is None else known[spelt].get(version)


BUILT_IN: Final = Operations()
"""The operations of irrun and of installed packages."""
