"""OpenVINO as an oracle: its CPU plugin runs models in folders, in processes of their own, which may crash.

A folder has ``model.xml`` and ``inputs.npz``, an array for each Parameter in the carrier of its type. A file ``runs``
says how often one request is to infer, where that is not once; where there is a file ``rewrite``, OpenVINO writes the
model again, as ``written.xml``. The folder gets ``answer.json``, and ``outputs.npz`` where the plugin ran the model.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from irrun.tensor import Array

WORKER = Path(__file__).with_name("worker.py")
FILLED = {"MALLOC_PERTURB_": "85"}
"""Has glibc fill new memory, so that what is read before it is written differs in every run alike."""


@dataclass(frozen=True)
class Answer:
    """The outputs of a model in the carriers of their types and the names of these, or why there are none.

    ``refused`` is OpenVINO's message, or ``crashes (signal 11)``.
    """

    outputs: Sequence[Array] = ()
    types: Sequence[str] = ()
    refused: str = ""


def ask(folders: Iterable[Path]) -> None:
    """Have OpenVINO answer every model that has no answer yet."""
    waiting = [str(folder) for folder in folders if not (folder / "answer.json").exists()]
    if waiting:
        command = [sys.executable, str(WORKER)]
        subprocess.run(command, input="\n".join(waiting), check=True, text=True, env={**os.environ, **FILLED})


def answer(folder: Path) -> Answer:
    """The answer that ``ask`` left in a folder."""
    found = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    return Answer([] if found["refused"] else load(folder / "outputs.npz"), **found)


def write(folder: Path, answer: Answer) -> None:
    """Leave an answer in a folder."""
    if not answer.refused:
        save(folder / "outputs.npz", answer.outputs)
    record = {"types": answer.types, "refused": answer.refused}
    (folder / "answer.json").write_text(json.dumps(record), encoding="utf-8")


def save(path: Path, arrays: Iterable[Array]) -> None:
    """Write arrays; those of strings as NumPy's own strings, so that nothing is pickled."""
    stored: list[Any] = [array.astype("U") if array.dtype == object else array for array in arrays]
    np.savez(path, *stored)


def load(path: Path) -> list[Array]:
    """The arrays of a file that ``save`` wrote."""
    with np.load(path) as data:
        arrays = [data[name] for name in data.files]
    return [array.astype(object) if array.dtype.kind == "U" else array for array in arrays]
