"""Writes outputs to files named after them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from irrun.diagnostics import near_match
from irrun.diagnostics.requests import RequestError
from irrun.document.replacing import replacing
from irrun.evaluation.files.targets import refuse_inputs, refuse_standard_output
from irrun.model import Port
from irrun.tensor import Array, ElementType

_SUFFIXES: Final = (".npy", ".npz")
_LONGEST: Final = 250
"""The limit on characters of a file name, without its suffix."""

_LONGEST_PATH: Final = 4000
"""The limit on bytes of a path in an archive."""

_UNSAFE: Final = re.compile(r"[\\\x00-\x1f\x7f]|^[A-Za-z]:[/\\]|[\ud800-\udfff]")


def check_target(path: Path, outputs: int = 1) -> None:
    """Raise RequestError where this number of outputs cannot be written to a path, before anything is computed."""
    refuse_standard_output(path)
    if path.suffix == ".npy" and outputs != 1:
        raise RequestError(f"{path} holds one array, and there are {outputs} outputs; give a folder or an .npz file")
    is_file = path.suffix in _SUFFIXES
    if path.suffix[1:2].isalpha() and not is_file and not path.is_dir():
        close = near_match(path.suffix, _SUFFIXES) or f", expected .npy, .npz or a folder, such as {path.stem}/"
        raise RequestError(f"{path}: outputs are not written to {path.suffix} files{close}")
    for folder in path.parents if is_file else (path, *path.parents):
        if folder.exists() and not folder.is_dir():
            raise RequestError(f"{path}: {folder} is a file, expected a folder")


def save(path: Path, arrays: Mapping[str, tuple[Array, ElementType]], inputs: Sequence[Path] = ()) -> list[Path]:
    """Write arrays to an ``.npz`` file, an ``.npy`` file, or a folder of ``.npy`` files; return the paths.

    Each file takes the place of an old one only when it is complete. RequestError where it is one of the ``inputs``.
    """
    check_target(path, len(arrays))
    (path.parent if path.suffix in _SUFFIXES else path).mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npz":
        refuse_inputs([path], inputs)
        named = zip(member_names(arrays), arrays.values(), strict=True)
        save_arrays(path, {name: array for name, (array, _) in named})
        return [path]
    written = [path] if path.suffix == ".npy" else [path / f"{stem}.npy" for stem in file_stems(arrays)]
    refuse_inputs(written, inputs)
    for target, (array, _) in zip(written, arrays.values(), strict=True):
        with replacing(target) as file:
            write_array(file, array)
    return written


def widened(arrays: Mapping[str, tuple[Array, ElementType]]) -> list[str]:
    """Return a sentence for each array whose element type NumPy does not have."""
    return [
        f'"{name}" is {type}, which NumPy does not have: it is written as {array.dtype}'
        for name, (array, type) in arrays.items()
        if (type.is_float or type.is_integer) and type.bits < 8 * array.dtype.itemsize
    ]


def output_names(ports: Iterable[Port]) -> list[str]:
    """Return a distinct name for each output: its own, with its number where others have that."""
    names: list[str] = []
    for port in ports:
        name = port.any_name
        while name in names:
            name = f"{port.any_name}_{port.index}" if name == port.any_name else f"{name}_"
        names.append(name)
    return names


def member_names(names: Collection[str]) -> list[str]:
    """Return a distinct member name of an archive for each name: the name itself where it is safe to extract."""
    if all(_is_safe(name) for name in names):
        return list(names)
    stems = file_stems(names)
    kept = {name for name in names if _is_safe(name)}
    found: list[str] = []
    for name, stem in zip(names, stems, strict=True):
        while name not in kept and stem in kept.union(found):
            stem += "_"
        found.append(name if name in kept else stem)
    return found


def _is_safe(name: str) -> bool:
    """Return whether a name fits an archive, and stays below the folder that it is extracted to, on any system."""
    parts = name.split("/")
    is_short = len(name.encode(errors="replace")) <= _LONGEST_PATH and all(len(part) <= _LONGEST for part in parts)
    return is_short and not any(part in ("", ".", "..") for part in parts) and _UNSAFE.search(name) is None


def file_stems(names: Iterable[str]) -> list[str]:
    """Return a distinct file name without suffix for each name, with portable characters only."""
    stems: list[str] = []
    taken: set[str] = set()
    for name in names:
        stem = base = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._-")[:100] or "output"
        count = 1
        while stem.lower() in taken:
            count += 1
            stem = f"{base}_{count}"
        taken.add(stem.lower())
        stems.append(stem)
    return stems


def write_array(stream: Any, array: Array) -> None:
    """Write an array in the format of ``.npy`` to a stream; text as fixed-width characters."""
    stored = array.astype(np.str_) if array.dtype == object else array
    # NumPy writes to a file in a way of its own, which does not say why it failed.
    np.lib.format.write_array(SimpleNamespace(write=stream.write), stored, allow_pickle=False)


def save_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write arrays to an ``.npz`` file by name."""
    import zipfile

    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                write_array(stream, array)
