"""OpenVINO as an oracle: runs models on its CPU plugin, each in a process of its own, because the plugin may crash.

A folder holds ``model.xml`` and ``inputs.npz``, one array for each Parameter, in the carrier of its type. A file
``runs`` holds the number of inferences of one request where it is not 1; with a file ``rewrite``, OpenVINO also writes
the model again, as ``written.xml``. The oracle adds ``answer.json``, and ``outputs.npz`` where the plugin ran the
model.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from irrun.document.writer import Writer
from irrun.tensor import Array

WORKER = Path(__file__).with_name("worker.py")
FILLED = {"MALLOC_PERTURB_": "85"}
"""Make glibc fill new memory, so that a read of uninitialised memory returns the same values in every run."""


@dataclass(frozen=True)
class Answer:
    """The outputs of a model, in the carriers of their types, with the names of the types; or the reason for none.

    ``refused`` is OpenVINO's message, or ``crashes (signal 11)``.
    """

    outputs: Sequence[Array] = ()
    types: Sequence[str] = ()
    refused: str = ""


def ask(
    folders: Iterable[Path],
    *,
    shared: bool = False,
    python: str = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run every model that has no answer yet: each in a process of its own, or ``shared`` ones until one crashes.

    ``python`` and ``environment`` choose another OpenVINO than that of this process.
    """
    waiting = [str(folder) for folder in folders if not (folder / "answer.json").exists()]
    if waiting:
        command = [python, str(WORKER), *(["shared"] if shared else [])]
        given = {**os.environ, **FILLED, **(environment or {})}
        subprocess.run(command, input="\n".join(waiting), check=True, text=True, env=given)


def put(ir: Writer, inputs: Sequence[Array], root: Path) -> Path:
    """Write a model and its inputs into a folder named after their content."""
    digest = hashlib.sha256(ir.text.encode() + ir.weights)
    for array in inputs:
        digest.update(str(array.tolist()).encode())
    folder = root / digest.hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    ir.save(folder / "model.xml")
    save(folder / "inputs.npz", inputs)
    return folder


def answer(folder: Path) -> Answer:
    """Read the answer that ``ask`` wrote into a folder."""
    found = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    return Answer([] if found["refused"] else load(folder / "outputs.npz"), **found)


def write(folder: Path, answer: Answer) -> None:
    """Write an answer into a folder."""
    if not answer.refused:
        save(folder / "outputs.npz", answer.outputs)
    record = {"types": answer.types, "refused": answer.refused}
    (folder / "answer.json").write_text(json.dumps(record), encoding="utf-8")


def save(path: Path, arrays: Iterable[Array]) -> None:
    """Write arrays; arrays of strings become NumPy's strings, so that nothing is pickled."""
    stored: list[Any] = [array.astype("U") if array.dtype == object else array for array in arrays]
    np.savez(path, *stored)


def load(path: Path) -> list[Array]:
    """Read the arrays of a file that ``save`` wrote."""
    with np.load(path) as data:
        arrays = [data[name] for name in data.files]
    return [array.astype(object) if array.dtype.kind == "U" else array for array in arrays]
