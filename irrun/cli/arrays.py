"""Reads arrays from untrusted files, and writes outputs to files named after them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from irrun.cli.failures import Failure
from irrun.tensor import Array, ElementType

_NPY = b"\x93NUMPY"
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"


def load(path: Path) -> Array | dict[str, Array]:
    """Return the array of an ``.npy`` file, or the arrays of an ``.npz`` file by name; Failure for anything else."""
    try:
        with path.open("rb") as file:
            magic = file.read(6)
            file.seek(0)
            if not magic.startswith((_NPY, _ZIP, _EMPTY_ZIP)):
                raise Failure(_not_numpy(path))
            if magic.startswith(_NPY):
                return _plain(np.load(file, allow_pickle=False), str(path))
            return _archived(path, file)
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise Failure(_pickled(path)) from None
        raise Failure(f"{path} cannot be read: {_first_line(error)}") from None
    except MemoryError as error:
        raise Failure(f"{path} does not fit into memory: {_first_line(error)}") from None
    except (EOFError, SyntaxError, KeyError, OverflowError) as error:
        raise Failure(f"{path} cannot be read: {_first_line(error) or 'it ends too early'}") from None


def _archived(path: Path, file: BinaryIO) -> dict[str, Array]:
    """The arrays of an ``.npz`` file by name."""
    import zipfile

    try:
        loaded = np.load(file, allow_pickle=False)
        return {name: _plain(loaded[name], f'"{name}" in {path}') for name in loaded.files}
    except zipfile.BadZipFile as error:
        raise Failure(f"{path} cannot be read: {_first_line(error) or 'it ends too early'}") from None


def load_one(path: Path) -> Array:
    """Return the array of a file that holds exactly one; Failure otherwise."""
    loaded = load(path)
    if not isinstance(loaded, dict):
        return loaded
    if len(loaded) != 1:
        raise Failure(f"{path} holds {len(loaded)} arrays ({', '.join(loaded) or 'none'}), expected one")
    return next(iter(loaded.values()))


def check_target(path: Path, outputs: int) -> None:
    """Raise Failure where this number of outputs cannot be written to a path, before anything is computed."""
    if path.suffix == ".npy" and outputs != 1:
        raise Failure(f"{path} holds one array, and there are {outputs} outputs; give a folder or an .npz file")
    if path.suffix in (".npy", ".npz") and not path.parent.is_dir():
        raise Failure(f"{path}: there is no folder {path.parent}")


def save(path: Path, arrays: Mapping[str, tuple[Array, ElementType]]) -> list[Path]:
    """Write arrays to an ``.npz`` file, an ``.npy`` file, or a folder of ``.npy`` files; return the paths."""
    if path.suffix == ".npz":
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            for name, (array, _) in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, _storable(array), allow_pickle=False)
        return [path]
    if path.suffix == ".npy":
        check_target(path, len(arrays))
        ((array, _),) = arrays.values()
        np.save(path, _storable(array), allow_pickle=False)
        return [path]
    path.mkdir(parents=True, exist_ok=True)
    written = []
    for stem, (array, _) in zip(file_stems(arrays), arrays.values(), strict=True):
        written.append(path / f"{stem}.npy")
        np.save(written[-1], _storable(array), allow_pickle=False)
    return written


def widened(arrays: Mapping[str, tuple[Array, ElementType]]) -> list[str]:
    """Return a sentence for each array whose element type NumPy does not have."""
    return [
        f'"{name}" is {type}, which NumPy does not have: it is written as {array.dtype}'
        for name, (array, type) in arrays.items()
        if (type.is_float or type.is_integer) and type.bits < 8 * array.dtype.itemsize
    ]


def file_stems(names: Mapping[str, Any]) -> list[str]:
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


def _plain(array: Array, where: str) -> Array:
    if array.dtype.kind == "V" and array.dtype.names is None and array.dtype.itemsize == 2:
        raise Failure(
            f"{where} holds {array.dtype.str}: a bf16 array loses its type when NumPy saves it; "
            "save it as f32, array.astype(numpy.float32)"
        )
    if array.dtype.kind not in "fiubU":
        raise Failure(f"{where} holds {array.dtype}, expected numbers, booleans or text")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _not_numpy(path: Path) -> str:
    return f"{path} is no NumPy file, expected an array saved with numpy.save (.npy) or numpy.savez (.npz)"


def _pickled(path: Path) -> str:
    return (
        f"{path} holds Python objects (pickled), which are never loaded; "
        "save numbers as numbers, and text as a NumPy text array, array.astype(str)"
    )


def _storable(array: Array) -> Array:
    return array.astype(np.str_) if array.dtype == object else array


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
