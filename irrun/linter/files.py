"""Finds the files that command-line arguments name: files, folders and patterns."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from irrun.document.encoding import decode
from irrun.document.text import first_tag

SUFFIX: Final = ".xml"
WEIGHTS: Final = ".bin"
STDIN: Final = "-"

_DOCTYPE: Final = re.compile(rb"<!DOCTYPE[^\[>]*+(?:\[[^\]]*+\]\s*+)?>")
_LAYER: Final = re.compile(rb"<layer\b[^<>]*\btype\s*=")


class NoSuchFile(ValueError):
    """No file matches a pattern."""


class Found(NamedTuple):
    """A file; ``named`` is false where it was found in a folder or by a pattern."""

    path: Path
    named: bool


def expanded(
    arguments: Sequence[str], exclude: Sequence[str] = (), refuse: Callable[[NoSuchFile], None] | None = None
) -> list[Found]:
    """Return the files that arguments name, each once, those of a folder in alphabetical order.

    In folders, ``.xml`` files count, except hidden ones and those that match ``exclude``: patterns for a file name, a
    folder name or a whole path. A weights file stands for the model beside it. NoSuchFile where a pattern matches
    nothing, which ``refuse`` takes where it is given; OSError where a folder cannot be read.
    """
    found: dict[Path, Found] = {}
    for argument in arguments:
        path = Path(argument)
        if not argument:
            raise NoSuchFile('"" names no file; expected a file, a folder or a pattern')
        if argument == STDIN:
            items: Iterator[Found] = iter([Found(path, True)])
        elif path.is_dir():
            items = _inside(path, exclude)
        elif glob.has_magic(argument) and not path.exists():
            try:
                items = iter(list(_matching(argument, exclude)))
            except NoSuchFile as error:
                if refuse is None:
                    raise
                refuse(error)
                continue
        else:
            items = iter([Found(_model_of(path), True)])
        for item in items:
            known = found.get(item.path)
            found[item.path] = item if known is None else Found(item.path, known.named or item.named)
    return list(found.values())


def _model_of(path: Path) -> Path:
    """Return the model beside a weights file; any other path as it is."""
    beside = path.with_suffix(SUFFIX) if path.suffix.lower() == WEIGHTS else path
    return beside if beside.is_file() else path


def matches(pattern: str) -> list[Path]:
    """Return the files and folders that match a pattern, each once; ``**`` does not follow symbolic links to folders.

    Names that begin with a dot match only a pattern that does. Folders that cannot be read match nothing.
    """
    found: dict[Path, None] = {Path(): None}
    parts = Path(pattern).parts
    for index, part in enumerate(parts):
        if part == "**":
            is_last = index == len(parts) - 1
            found = dict.fromkeys(below for path in found for below in _below(path, files=is_last))
        elif glob.has_magic(part):
            found = dict.fromkeys(path / name for path in found for name in _names(path, part))
        else:
            found = {path / part: None for path in found if os.path.lexists(path / part)}
    return [path for path in found if path != Path()]


def _below(path: Path, *, files: bool) -> Iterator[Path]:
    """Yield a path, the folders below it that are not hidden, and with ``files`` the files in them."""
    yield path
    for where, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not (name.startswith(".") or os.path.islink(Path(where, name)))]
        yield from (Path(where, name) for name in folders)
        if files:
            yield from (Path(where, name) for name in names if not name.startswith("."))


def _names(folder: Path, pattern: str) -> list[str]:
    """Return the names in a folder that match a pattern."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [name for name in fnmatch.filter(names, pattern) if pattern.startswith(".") or not name.startswith(".")]


def looks_like_ir(data: bytes) -> bool:
    """Return whether a file is an IR, perhaps a faulty one, rather than other XML."""
    text = decode(data).data
    root = first_tag(text) or _tag_behind_doctype(text)
    if root == "net":
        return b"<layers" in text or b"<layer " in text
    return root == "layer" and _LAYER.search(text) is not None


def _tag_behind_doctype(text: bytes) -> str | None:
    found = _DOCTYPE.match(text, max(text.find(b"<!DOCTYPE"), 0))
    return None if found is None else first_tag(text[found.end() :])


def _inside(folder: Path, exclude: Sequence[str]) -> Iterator[Found]:
    for where, folders, files in os.walk(folder, onerror=_refuse):
        here = Path(where)
        folders[:] = sorted(name for name in folders if not _passed_over(here / name, exclude))
        for name in sorted(files):
            path = here / name
            if path.suffix.lower() == SUFFIX and not _passed_over(path, exclude) and _is_readable(path):
                yield Found(path, False)


def _refuse(error: OSError) -> None:
    """Raise the error instead of skipping an unreadable folder."""
    raise error


def _is_readable(path: Path) -> bool:
    """Return whether a path is a file, or a broken link to be reported; a pipe, which may never end, is neither."""
    return path.is_file() or path.is_symlink()


def _matching(pattern: str, exclude: Sequence[str]) -> Iterator[Found]:
    found = sorted(matches(pattern))
    if not found:
        raise NoSuchFile(f"no file matches {pattern}")
    for path in found:
        if _is_excluded(path, exclude):
            continue
        if path.is_dir():
            yield from _inside(path, exclude)
        elif _is_readable(path):
            yield Found(path, False)


def _passed_over(path: Path, exclude: Sequence[str]) -> bool:
    return path.name.startswith(".") or _is_excluded(path, exclude)


def _is_excluded(path: Path, exclude: Sequence[str]) -> bool:
    names = (path.name, path.as_posix(), path.absolute().as_posix())
    return any(fnmatch.fnmatchcase(name, pattern.rstrip("/")) for pattern in exclude for name in names)
