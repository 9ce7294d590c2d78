"""Finds the files that command-line arguments name: files, folders and patterns."""

from __future__ import annotations

import fnmatch
import glob
import itertools
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
    """No file matches an argument."""

    def __init__(self, message: str, argument: str) -> None:
        super().__init__(message)
        self.argument = argument


class Found(NamedTuple):
    """A file; ``named`` is false where it was found in a folder or by a pattern, which are the ``places``."""

    path: Path
    named: bool
    places: tuple[str, ...] = ()


class Exclusion(NamedTuple):
    """Patterns of files to skip: of a file name, a folder name or a path, whole or relative to ``root``.

    They apply to what is found in folders and by patterns, with ``forced`` also to what is named.
    """

    patterns: Sequence[str] = ()
    forced: bool = False
    root: Path | None = None

    def has(self, path: Path) -> bool:
        """Return whether a pattern matches a file or folder itself."""
        if not self.patterns:
            return False
        whole, root = path.absolute(), (self.root or Path.cwd()).absolute()
        names = [path.name, path.as_posix(), whole.as_posix()]
        if whole.is_relative_to(root):
            names.append(whole.relative_to(root).as_posix())
        return any(fnmatch.fnmatchcase(name, pattern.rstrip("/")) for pattern in self.patterns for name in names)

    def covers(self, path: Path, below: Path) -> bool:
        """Return whether a pattern matches a file, or a folder around it that is ``below`` another one."""
        around = [folder for folder in path.parents if folder != below and folder.is_relative_to(below)]
        return self.has(path) or any(map(self.has, around))

    def drops(self, path: Path) -> bool:
        """Return whether a file or folder is skipped although it is named."""
        here = Path.cwd()
        return self.forced and self.covers(here / path, here if (here / path).is_relative_to(here) else path.parent)


NOTHING: Final = Exclusion()


def expanded(
    arguments: Sequence[str], exclude: Exclusion = NOTHING, refuse: Callable[[NoSuchFile], None] | None = None
) -> list[Found]:
    """Return the files that arguments name, each once, those of a folder in alphabetical order.

    In folders, ``.xml`` files count, except hidden ones and excluded ones. A weights file stands for the model beside
    it. NoSuchFile where a pattern matches nothing, which ``refuse`` takes where it is given; OSError where a folder
    cannot be read.
    """
    found: dict[Path, Found] = {}
    for argument in arguments:
        if not argument:
            raise NoSuchFile('"" names no file; expected a file, a folder or a pattern', argument)
        path = Path(argument)
        if is_place(argument):
            try:
                items = list(_inside(path, exclude) if path.is_dir() else _matching(argument, exclude))
            except NoSuchFile as error:
                if refuse is None:
                    raise
                refuse(error)
                continue
            files = [Found(item, False, (argument,)) for item in items if not exclude.drops(item)]
        elif argument == STDIN:
            files = [Found(path, True)]
        else:
            model = _model_of(path)
            files = [] if exclude.drops(model) else [Found(model, True)]
        for item in files:
            known = found.get(item.path, Found(item.path, False))
            found[item.path] = Found(item.path, known.named or item.named, (*known.places, *item.places))
    return list(found.values())


def is_place(argument: str) -> bool:
    """Return whether an argument is a folder or a pattern rather than a file."""
    path = Path(argument)
    return argument != STDIN and (path.is_dir() or (glob.has_magic(argument) and not path.exists()))


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


def is_xml(data: bytes) -> bool:
    """Return whether a file begins like XML, of whatever kind."""
    text = decode(data).data
    return (first_tag(text) or _tag_behind_doctype(text)) is not None


def _tag_behind_doctype(text: bytes) -> str | None:
    found = _DOCTYPE.match(text, max(text.find(b"<!DOCTYPE"), 0))
    return None if found is None else first_tag(text[found.end() :])


def _inside(folder: Path, exclude: Exclusion) -> Iterator[Path]:
    for where, folders, files in os.walk(folder, onerror=_refuse):
        here = Path(where)
        folders[:] = sorted(name for name in folders if not _passed_over(here / name, exclude))
        for name in sorted(files):
            path = here / name
            if path.suffix.lower() == SUFFIX and not _passed_over(path, exclude) and _is_readable(path):
                yield path


def _refuse(error: OSError) -> None:
    """Raise the error instead of skipping an unreadable folder."""
    raise error


def _is_readable(path: Path) -> bool:
    """Return whether a path is a file, or a broken link to be reported; a pipe, which may never end, is neither."""
    return path.is_file() or path.is_symlink()


def _matching(pattern: str, exclude: Exclusion) -> Iterator[Path]:
    found = sorted(matches(pattern))
    if not found:
        raise NoSuchFile(f"no file matches {pattern}", pattern)
    literal = Path(*itertools.takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))
    for path in found:
        if exclude.covers(path, literal):
            continue
        if path.is_dir():
            yield from _inside(path, exclude)
        elif _is_readable(path):
            yield path


def _passed_over(path: Path, exclude: Exclusion) -> bool:
    return path.name.startswith(".") or exclude.has(path)
