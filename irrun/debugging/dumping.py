"""Tensors of a run, written to files while the model runs."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from irrun.debugging.faults import DebugError
from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.selecting import Selection
from irrun.diagnostics.naming import naming
from irrun.document.replacing import replacing
from irrun.evaluation.files.saving import write_array
from irrun.model import Loaded, Outputs, build
from irrun.tensor import Array

INDEX: Final = "index.jsonl"
_LONGEST: Final = 150


def dump(
    model: Loaded,
    inputs: Any,
    target: Path,
    config: Mapping[str, Any] | None = None,
    *,
    names: Sequence[str] = (),
    types: Sequence[str] = (),
) -> Outputs:
    """Run a model, write the outputs of its layers to a folder or an ``.npz`` file, and return its own outputs.

    ``names`` and ``types`` are patterns that choose layers; ``config`` holds the settings of ``compile_model``.
    """
    session = build(model, config).session()
    with Dump(target, Selection(model.graph, names, types)) as watcher:
        session.observers.append(watcher)
        return session.run(inputs)


class Dump(Watcher):
    """Writes the outputs of each step to a folder of ``.npy`` files, or to an ``.npz`` file.

    A context manager. One tensor is in memory at a time. When a run is interrupted, all tensors that were complete are
    in the folder or the archive; where the disk is full, an old archive stays. The folder also holds ``index.jsonl``, a
    record for each file. ``notice`` is called once for each chosen layer whose own outputs do not exist, since later
    layers are fused to it.
    """

    def __init__(
        self, target: Path, selection: Selection, notice: Callable[[str, StepPlace], None] = lambda *_: None
    ) -> None:
        super().__init__()
        self.count: int = 0
        self._target = target
        self._selection = selection
        self._notice = notice
        self._noticed: set[str] = set()
        self._taken: set[str] = set()
        self._archive: zipfile.ZipFile | None = None
        self._files = ExitStack()

    def __enter__(self) -> Self:
        if self._target.suffix == ".npz":
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._archive = zipfile.ZipFile(self._files.enter_context(replacing(self._target)), "w")
            return self
        if self._target.is_file():
            raise DebugError(f"{self._target} is a file, expected a folder or an .npz file")
        self._target.mkdir(parents=True, exist_ok=True)
        (self._target / INDEX).write_text("")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._archive is not None:
            with self._files:
                self._archive.close()
                if isinstance(error, OSError):
                    raise error

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        if place not in self._selection:
            return
        for name in self._selection.fused(place):
            if name not in self._noticed:
                self._noticed.add(name)
                self._notice(name, place)
        for port, array in enumerate(outputs):
            name = place.label if len(outputs) == 1 else f"{place.label}.{port}"
            if self._archive is None:
                self._write(name, place, port, array)
            else:
                self._append(self._archive, self._distinct(member(name)), array)
            self.count += 1

    def _write(self, name: str, place: StepPlace, port: int, array: Array) -> None:
        file = f"{self.count:04}-{stem(name)}.npy"
        with replacing(self._target / file) as stream:
            write_array(stream, array)
        record: dict[str, Any] = {
            "file": file,
            "layer": place.name,
            "layers": list(place.layers),
            "type": place.step.node.type,
            "output": port,
            "element_type": place.step.types[port].name,
            "shape": list(array.shape),
            "bodies": [item._asdict() for item in place.around],
        }
        with naming(self._target / INDEX), open(self._target / INDEX, "a", encoding="utf-8") as index:
            index.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _append(self, archive: zipfile.ZipFile, name: str, array: Array) -> None:
        is_complete = False
        with naming(self._target):
            try:
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    write_array(stream, array)
                is_complete = True
            finally:
                if not is_complete:
                    archive.filelist[:] = [item for item in archive.filelist if item.filename != f"{name}.npy"]

    def _distinct(self, name: str) -> str:
        found, count = name, 1
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found)
        return found


def stem(name: str) -> str:
    """Return a name of a file for a name of a tensor, with portable characters only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._-")[-_LONGEST:] or "tensor"


def member(name: str) -> str:
    """Return a name in an archive for a name of a tensor: the name itself where it is safe to extract."""
    parts = name.split("/")
    is_safe = all(0 < len(part) <= _LONGEST and part not in (".", "..") for part in parts)
    return name if is_safe and re.search(r"[\\:\x00-\x1f\x7f]", name) is None else "/".join(map(stem, parts))
