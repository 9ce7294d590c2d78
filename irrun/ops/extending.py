"""Operations of users: classes in modules of theirs, declared like irrun's own, and of installed packages."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from irrun.diagnostics import OpError
from irrun.ops.operation import Op, OpClass
from irrun.ops.releases import is_meant_as_number


class ExtensionError(OpError):
    """A module of a user cannot be imported, or what it declares cannot be used."""

    code = "IR301"


ExtensionSource = str | os.PathLike[str] | ModuleType | type
"""A Python file, a module, or a class."""

GROUP: Final = "irrun.operations"
"""The group of entry points by which an installed package offers modules or classes of operations."""


def is_own(cls: type) -> bool:
    """Return whether a class is part of irrun."""
    return cls.__module__.partition(".")[0] == "irrun"


_extended: Final[list[ExtensionSource]] = []


def extend(*sources: ExtensionSource) -> None:
    """Add operations and lint rules of one's own to those that every model may use from now on.

    ``sources`` are Python files, modules or classes; ExtensionError where one cannot be used.
    """
    for source in sources:
        declared(source)
    _extended.extend(source for source in sources if source not in _extended)


def extended() -> tuple[ExtensionSource, ...]:
    """Return the sources that were given to ``extend``."""
    return tuple(_extended)


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
        raise ExtensionError(f"{path} is not a Python file, expected a name that ends in .py")
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
    return tuple(cls for source in entry_points(GROUP) for cls in declared(source))


def entry_points(group: str) -> Iterator[ExtensionSource]:
    """Yield the modules and classes of a group of entry points."""
    from importlib import metadata

    for point in metadata.entry_points(group=group):
        try:
            yield point.load()
        except Exception as error:
            where = f"the entry point {point.name} of {point.dist.name if point.dist is not None else 'a package'}"
            raise ExtensionError(f"{where} cannot be imported: {type(error).__name__}: {error}") from error


def declared(source: ExtensionSource) -> list[OpClass]:
    """Return the operations that a source declares; ExtensionError where one cannot be used."""
    found: list[OpClass] = classes_of(source, Op, "opset")
    for cls in found:
        _check(cls)
    return found


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
