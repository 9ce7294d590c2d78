"""Records as files."""

from __future__ import annotations

from pathlib import Path

from tests.lab import records


def test_entries_have_a_line_each_in_order(tmp_path: Path) -> None:
    path = tmp_path / "data" / "record.json"
    record = {"version": "1", "cases": {"b": {"y": 1, "x": [2]}, "a": "é"}, "names": ["d", "c"], "none": {}}
    records.write(path, record)
    assert path.read_text(encoding="utf-8") == (
        '{\n "version": "1",\n "cases": {\n  "a": "é",\n  "b": {"x": [2], "y": 1}\n },\n'
        ' "names": [\n  "c",\n  "d"\n ],\n "none": {}\n}\n'
    )
    assert records.read(path)["cases"] == record["cases"]
