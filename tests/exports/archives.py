"""The exported models of the repository: small configurations of many architectures, each an archive of the IR and its
inputs. ``python -m exports.small`` in ``benchmarks`` makes them."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FOLDER: Final = Path(__file__).parent / "models"
PAIRS: Final = Path(__file__).parent / "pairs"
"""Models that were exported directly, and by way of ONNX (``other.xml`` and ``model.onnx``)."""
NAMES: Final = tuple(sorted(path.name.removesuffix(".tar.xz") for path in FOLDER.glob("*.tar.xz")))
PAIR_NAMES: Final = tuple(sorted(path.name.removesuffix(".tar.xz") for path in PAIRS.glob("*.tar.xz")))
SHARE: Final = 5
"""One in so many is tested by default."""


@dataclass(frozen=True, slots=True)
class Export:
    """An unpacked model, and the values of its inputs by name."""

    name: str
    path: Path
    inputs: dict[str, npt.NDArray[Any]]


def unpacked(name: str, folder: Path, archives: Path = FOLDER) -> Export:
    with tarfile.open(archives / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    with np.load(folder / "model.npz") as values:
        inputs = {key.partition(":")[2]: values[key] for key in values.files if ":" in key}
    return Export(name, folder / "model.xml", inputs)
