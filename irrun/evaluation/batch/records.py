"""The records of a run: a line of JSON for each input that was tried."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics.naming import naming
from irrun.document.files import opened
from irrun.evaluation.batch.items import key, stamp
from irrun.evaluation.batch.work import Record
from irrun.evaluation.files import arrays, saving
from irrun.evaluation.files.spelling import compact
from irrun.tensor import Array

RECORDS: Final = "records.jsonl"
"""The file of records in the folder of outputs."""

_LONGEST_LINE: Final = 1 << 24


def saved(record: Record, place: int) -> Array:
    """Return an output of an input that is done, by its place, from the file that holds it."""
    name = saving.member_names(record["outputs"])[place]
    found = arrays.load(Path(record["output"]), name=name)
    return found[name] if isinstance(found, Mapping) else found


class Records:
    """The lines of a file. Those of other ``settings``, the model and its options, are of outputs to be replaced."""

    def __init__(self, path: Path, settings: str) -> None:
        self.path = path
        self._settings = settings

    def latest(self) -> dict[str, Record]:
        """Return the last record of each input by its `key`, unless its settings differ; other lines are ignored."""
        found = {key(record["input"]): record for record in self._records()}
        return {name: record for name, record in found.items() if record["settings"] == self._settings}

    def done(self) -> dict[str, str]:
        """Return the stamps of the inputs whose outputs are as they were written, by `key`."""
        writers = {key(record["output"]): record for record in self._records() if record["status"] == "done"}
        return {
            name: record["stamp"]
            for name, record in self.latest().items()
            if record["status"] == "done" and writers[key(record["output"])] == record and _is_unchanged(record)
        }

    @contextmanager
    def writing(self) -> Iterator[Callable[[Record], None]]:
        """Return a function that adds a record."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        is_cut = self._is_cut()
        file = self.path.open("a", encoding="utf-8", errors="surrogateescape")

        def add(record: Record) -> None:
            with naming(self.path):
                file.write(compact({**record, "settings": self._settings}) + "\n")
                file.flush()

        try:
            if is_cut:
                file.write("\n")
            yield add
        finally:
            with naming(self.path):
                file.close()

    def _records(self) -> Iterator[Record]:
        if not self.path.exists():
            return
        with opened(self.path) as file:
            while line := file.readline(_LONGEST_LINE):
                if not line.startswith(b"{"):
                    continue
                try:
                    record = json.loads(line.decode("utf-8", errors="surrogateescape"))
                except (ValueError, RecursionError):
                    continue
                if _is_record(record):
                    yield record

    def _is_cut(self) -> bool:
        """Return whether the last line has no end."""
        if not self.path.exists():
            return False
        with opened(self.path) as file:
            if file.seek(0, os.SEEK_END) == 0:
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"


def _is_unchanged(record: Record) -> bool:
    """Return whether the output of a record has the size and the time of its last change as written."""
    try:
        return bool(stamp(Path(record["output"])) == record["output_stamp"])
    except OSError:
        return False


def _is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a line is one that a run has written."""
    texts = (
        "input",
        "status",
        "settings",
        *(("stamp", "output", "output_stamp") if record.get("status") == "done" else ()),
    )
    if not all(isinstance(record.get(name), str) for name in texts):
        return False
    return isinstance(record.get("ms", 0.0), int | float) and _are_outputs(record.get("outputs", {}))


def _are_outputs(outputs: object) -> bool:
    return isinstance(outputs, Mapping) and all(_is_output(item) for item in outputs.values())


def _is_output(item: Any) -> bool:
    if not isinstance(item, Mapping) or set(item) != {"type", "shape"} or not isinstance(item["type"], str):
        return False
    shape = item["shape"]
    return isinstance(shape, list) and all(isinstance(size, int) and 0 <= size < 1 << 63 for size in shape)
