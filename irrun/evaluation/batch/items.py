"""The inputs that patterns name, in natural order, each with a name for its outputs."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.files.images import IMAGES
from irrun.linter.files import matches

SUFFIXES: Final = frozenset({".npy", ".npz", ".bin", *IMAGES})


class BatchItem(NamedTuple):
    """An input file.

    ``name`` is its path below the folder of its pattern, without the suffix; ``stamp`` its size and the time of its
    last change.
    """

    path: str
    name: str
    stamp: str = ""


def items_of(patterns: Sequence[str], output: Path | None = None) -> list[BatchItem]:
    """Return the files of folders, patterns and names, each once; in a folder, without those of the outputs.

    RequestError where one of them names no file, or is the folder of the outputs.
    """
    found: dict[str, tuple[Path, Path]] = {}
    for text in patterns:
        files = list(files_of(text, SUFFIXES))
        if output is not None and Path(text).is_dir():
            files = list(_without(output, Path(text), files))
        if not files:
            known = ", ".join(sorted(SUFFIXES))
            raise RequestError(f"--batch {text}: there is no such file, expected files of {known}")
        for path, root in files:
            found.setdefault(key(str(path)), (path, path.relative_to(root)))
    names = dict(found.values())
    return [BatchItem(str(path), name, stamp(path)) for path, name in zip(names, _distinct(names), strict=True)]


def skipped(patterns: Sequence[str], output: Path | None = None) -> Counter[str]:
    """Count the files of folders that are no inputs, by suffix; without those of the outputs."""
    own = None if output is None else Path(key(str(output)))
    others = {
        key(str(path)): path.suffix.lower()
        for folder in map(Path, patterns)
        if folder.is_dir()
        for path in folder.rglob("*")
        if path.suffix.lower() not in SUFFIXES and _is_seen(path, folder)
    }
    return Counter(suffix for path, suffix in others.items() if own not in Path(path).parents)


def key(path: str) -> str:
    """Return what two paths of one file have in common, relative or not."""
    return os.path.abspath(path)


def _without(output: Path, root: Path, files: Sequence[tuple[Path, Path]]) -> Iterator[tuple[Path, Path]]:
    whole, above = output.resolve(), root.resolve()
    if whole == above:
        raise RequestError(f"{output} is the folder of the inputs, expected another one for the outputs")
    inside = root / whole.relative_to(above) if whole.is_relative_to(above) else None
    return ((path, folder) for path, folder in files if inside not in path.parents)


def stamp(path: Path) -> str:
    """Return the size of a file and the time of its last change, in nanoseconds."""
    status = path.stat()
    return f"{status.st_size}:{status.st_mtime_ns}"


def _distinct(found: Mapping[Path, Path]) -> list[str]:
    """Return a name for each file: without the suffix, else with it, else with the folder; two never agree."""
    stems = Counter(str(name.with_suffix("")) for name in found.values())
    names = [
        str(name.with_suffix("")) if stems[str(name.with_suffix(""))] == 1 else name.as_posix()
        for name in found.values()
    ]
    counts = Counter(names)
    alike = [os.path.abspath(path) for path, name in zip(found, names, strict=True) if counts[name] > 1]
    if alike:
        top = os.path.commonpath(alike)
        longer = [Path(os.path.relpath(path, top)).as_posix() for path in found]
        names = [whole if counts[name] > 1 else name for name, whole in zip(names, longer, strict=True)]
    known: dict[str, Path] = {}
    for path, name in zip(found, names, strict=True):
        if known.setdefault(name, path) != path:
            what = f"{known[name]} and {path} would write the same output, expected another folder"
            raise RequestError(f"--batch: {what}")
    return names


def files_of(text: str, suffixes: Container[str]) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a folder with these suffixes, of a pattern, or the one of a name, in natural order.

    Each comes with the folder that its name is relative to. Hidden files and folders are left out.
    """
    path = Path(text)
    if path.is_dir():
        inside = [item for item in path.rglob("*") if item.suffix.lower() in suffixes and _is_seen(item, path)]
        yield from ((item, path) for item in sorted(inside, key=natural))
    elif path.exists():
        yield path, path.parent
    elif glob.has_magic(text):
        parts = Path(text).parts
        fixed = next(index for index, part in enumerate(parts) if glob.has_magic(part))
        root = Path(*parts[: min(fixed, len(parts) - 1)])
        yield from ((item, root) for item in sorted(matches(text), key=natural) if item.is_file())


def _is_seen(path: Path, root: Path) -> bool:
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts)


def natural(path: Path) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers in names by value: step 2 before step 10."""
    parts = re.split(r"(\d+)", str(path))
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]
