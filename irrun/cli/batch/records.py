"""The records of a run: a line of JSON for each input that was tried."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from irrun.cli.batch.work import Record

RECORDS: Final = "records.jsonl"
"""The file of records in the folder of outputs."""


class Records:
    """The lines of a file. Those of other ``settings``, the model and its options, are of outputs to be replaced."""

    def __init__(self, path: Path, settings: str) -> None:
        self.path = path
        self._settings = settings

    def latest(self) -> dict[str, Record]:
        """Return the last record of each input by its path, unless its settings differ; a cut line is ignored."""
        found = {record["input"]: record for record in self._records()}
        return {name: record for name, record in found.items() if record["settings"] == self._settings}

    def done(self) -> dict[str, str]:
        """Return the stamps of the inputs whose outputs are there, and were not replaced by those of other inputs."""
        writers = {record["output"]: record for record in self._records() if record["status"] == "done"}
        return {
            name: record["stamp"]
            for name, record in self.latest().items()
            if record["status"] == "done" and writers[record["output"]] == record and Path(record["output"]).exists()
        }

    @contextmanager
    def writing(self) -> Iterator[Callable[[Record], None]]:
        """Return a function that adds a record."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        is_cut = self._text()[-1:] not in ("", "\n")
        with self.path.open("a", encoding="utf-8", errors="surrogateescape") as file:

            def add(record: Record) -> None:
                file.write(json.dumps({**record, "settings": self._settings}, ensure_ascii=False) + "\n")
                file.flush()

            if is_cut:
                file.write("\n")
            yield add

    def _records(self) -> Iterator[Record]:
        for line in self._text().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="surrogateescape") if self.path.exists() else ""
