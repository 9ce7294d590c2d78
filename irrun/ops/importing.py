"""Modules of users: Python files, each imported once for each content, and modules by their names."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from irrun.diagnostics import OpError
from irrun.ops.blame import ExtensionFault, blamed, described, place_of

_LIBRARIES: Final = (".so", ".dll", ".dylib", ".pyd")
_PREFIX: Final = "irrun_extension_"
"""The beginning of the names of modules that are files of users."""

_siblings: Final[dict[str, Path]] = {}
"""The folder of each module that a file has imported from beside it."""


class ExtensionError(OpError):
    """An extension cannot be imported, or what it declares cannot be used."""

    code = "IR301"
    of_extension = True


def module_of(source: str | os.PathLike[str] | SentFile) -> ModuleType:
    """Import a Python file by its path, or a module by its name. ExtensionError where that fails."""
    if isinstance(source, SentFile):
        return executed(Path(source.path), source.content)
    if not isinstance(source, str) or not is_module_name(source):
        return load(Path(source))
    try:
        with blamed(source, "", ModuleNotFoundError):
            return importlib.import_module(source)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{source}.".startswith(f"{error.name}."):
            raise ExtensionError(f"there is no module {source}, expected one, or a file such as my_ops.py") from None
        raise ExtensionError(f"{source} cannot be imported: {error}") from error
    except ExtensionFault as error:
        raise _not_imported(source, error) from error.__cause__


@dataclass(frozen=True, slots=True)
class SentFile:
    """A Python file with its content, which need not be where it is imported."""

    path: str
    content: bytes


def portable(source: Any, *, travels: bool) -> Any:
    """Return a source that can be pickled for a worker; one that ``travels`` gets the content of files.

    ExtensionError where a file cannot be read.
    """
    if isinstance(source, ModuleType):
        name, file = source.__name__, getattr(source, "__file__", None)
        source = file if name.startswith(_PREFIX) and file is not None else name
    source = at(source, Path.cwd())
    if not travels or not isinstance(source, str) or is_module_name(source):
        return source
    try:
        return SentFile(source, Path(source).read_bytes())
    except OSError as error:
        raise _unreadable(source, error) from None


def at(source: Any, folder: Path) -> Any:
    """Return a source as another working directory finds it: a file by its whole path, anything else as it is."""
    is_file = isinstance(source, os.PathLike) or (isinstance(source, str) and not is_module_name(source))
    return str(folder / source) if is_file else source


def is_module_name(source: str) -> bool:
    """Return whether a text is the name of a module, and not a file."""
    path = Path(source)
    has_words = re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", source) is not None
    return has_words and path.suffix not in (".py", *_LIBRARIES) and not path.exists()


def load(path: Path) -> ModuleType:
    """Import a Python file as a module of its own, once for each content. ExtensionError where that fails.

    It may import modules beside it, as if Python had been started with it.
    """
    if path.suffix in _LIBRARIES:
        raise ExtensionError(f"{path} is a library that was written for OpenVINO, expected a Python file")
    if path.is_dir():
        raise ExtensionError(f"{path} is a folder, expected a Python file, or the name of a module such as my_ops")
    if path.exists() and (path.suffix != ".py" or not path.is_file()):
        raise ExtensionError(f"{path} is not a Python file, expected a name that ends in .py")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    return executed(path, content)


def _unreadable(path: str | Path, error: OSError) -> ExtensionError:
    return ExtensionError(f"{path} cannot be read: {error.strerror}, expected a Python file")


def executed(path: Path, content: bytes) -> ModuleType:
    """Return the module of a file with this content, which is executed once. ExtensionError where that fails."""
    import importlib.util

    digest = hashlib.sha256(os.fsencode(path.absolute()) + b"\0" + content).hexdigest()
    name = f"{_PREFIX}{digest[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _beside(path.absolute().parent), blamed(str(path)):
            exec(compile(content, path, "exec"), vars(module))
    except ExtensionFault as error:
        del sys.modules[name]
        raise _not_imported(str(path), error) from error.__cause__
    return module


def _not_imported(source: str, fault: ExtensionFault) -> ExtensionError:
    """Return the error of a source, with the line of it at which its import fails, or that of another file."""
    cause = fault.__cause__
    assert cause is not None
    place = place_of(cause)
    is_inside = Path(place.rpartition(":")[0]).absolute() == Path(source).absolute()
    where = place if is_inside else source
    return ExtensionError(
        f"{where} cannot be imported: {f'{place}: ' if place and not is_inside else ''}{described(cause)}"
    )


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Let a file import modules of its folder, also where another folder has one of the same name."""
    for name in [name for name, other in _siblings.items() if other != folder]:
        sys.modules.pop(name, None)
        del _siblings[name]
    known = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder) and not name.startswith(_PREFIX):
                _siblings[name] = folder
