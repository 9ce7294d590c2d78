"""The records of irrun run --batch: lines of JSON, a table in Parquet, and a second start with them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cases import f32
from tests.cli.conftest import Run, one_line

ROW = f32([[0.5, -1, 2]])


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Three inputs of the clamp model, the second of a wrong shape."""
    folder = tmp_path / "in"
    folder.mkdir()
    for index in range(3):
        np.save(folder / f"{index}.npy", ROW)
    np.save(folder / "1.npy", f32([[1, 2]]))
    return folder


def test_nothing_left_to_do_is_said(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run("run", clamp, "--batch", rows, "-o", out)
    assert first.stderr.endswith(f"note: wrote {out} and {out / 'records.jsonl'}\n")
    again = run("run", clamp, "--batch", rows, "-o", out)
    assert f"note: 2 inputs are done, as {out / 'records.jsonl'} says; 1 is left\n" in again.stderr
    (rows / "1.npy").unlink()
    nothing = run("run", clamp, "--batch", rows, "-o", out)
    assert (nothing.exit_code, nothing.stdout) == (0, "0 inputs done, 2 before, 0 failed\n")
    assert nothing.stderr == f"note: 2 inputs are done, as {out / 'records.jsonl'} says; nothing is left to do\n"


def test_outputs_of_other_settings_are_not_taken_for_done(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    """Back at the first settings, the outputs are those of the second."""
    (rows / "1.npy").unlink()

    def done(*options: str) -> int:
        given = ("--batch", rows, "-o", tmp_path / "out", *options, "--json")
        return int(json.loads(run("run", clamp, *given).stdout)["done"])

    assert [done(), done("--shape", "?,3"), done(), done()] == [2, 2, 2, 0]


def test_outputs_that_other_inputs_replaced_are_not_taken_for_done(
    run: Run, clamp: Path, rows: Path, tmp_path: Path
) -> None:
    (rows / "1.npy").unlink()
    more = tmp_path / "more"
    more.mkdir()
    np.save(more / "2.npy", ROW)

    def done(folder: Path) -> int:
        return int(json.loads(run("run", clamp, "--batch", folder, "-o", tmp_path / "out", "--json").stdout)["done"])

    assert [done(rows), done(more), done(rows), done(more), done(more)] == [2, 1, 1, 1, 0]


def test_lines_in_another_file(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    lines = tmp_path / "logs" / "all.jsonl"
    for expected in (["done", "failed", "done"], ["done", "failed", "done", "failed"]):
        assert run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--records", lines).exit_code == 2
        assert [json.loads(line)["status"] for line in lines.read_text().splitlines()] == expected
    assert not (tmp_path / "out" / "records.jsonl").exists()


def test_a_table(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed, the extra parquet")
    table = tmp_path / "tables" / "records.parquet"
    for _ in range(2):
        result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--records", table)
        assert result.stderr.endswith(f"note: wrote {table}\n")
        found = parquet.read_table(table).to_pylist()
        assert [(Path(row["input"]).name, row["status"]) for row in found] == [
            ("0.npy", "done"),
            ("1.npy", "failed"),
            ("2.npy", "done"),
        ]
    assert found[0]["outputs"] == [{"name": "scores", "type": "f32", "shape": [1, 3]}]
    assert found[0]["output"] == str(tmp_path / "out" / "0.npy")
    assert found[0]["ms"] > 0
    assert (found[1]["outputs"], found[1]["ms"]) == (None, None)
    assert 'input "image:0" has shape [1,2]' in found[1]["error"]


def test_a_table_without_pyarrow(
    run: Run, clamp: Path, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--records", "x.parquet")
    assert one_line(result) == (
        "error: records in .parquet files need the package pyarrow, which is not installed; "
        "pip install 'irrun[parquet]'"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.parqet", "records are not written to .parqet files; did you mean .parquet?"),
        ("x.csv", "records are not written to .csv files, expected .jsonl or .parquet"),
        ("x", "records are not written to such files, expected .jsonl or .parquet"),
    ],
)
def test_other_suffixes(run: Run, clamp: Path, rows: Path, tmp_path: Path, name: str, message: str) -> None:
    result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--records", name)
    assert one_line(result) == f"error: --records {name}: {message}"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not text")
def test_names_that_are_no_text(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    os.rename(rows / "1.npy", os.fsencode(rows) + b"/\xff.npy")
    np.save(rows / os.fsdecode(b"\xff.npy"), ROW)
    given = ("--batch", rows, "-o", tmp_path / "out", "--json")
    counts = [json.loads(run("run", clamp, *given).stdout) for _ in range(2)]
    assert [(count["done"], count["before"]) for count in counts] == [(3, 0), (0, 3)]


def test_lines_that_no_run_has_written_are_ignored(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    (rows / "1.npy").unlink()
    out = tmp_path / "out"
    run("run", clamp, "--batch", rows, "-o", out)
    path = out / "records.jsonl"
    lines = path.read_text().splitlines()
    record = json.loads(lines[-1])
    changes: list[dict[str, Any]] = [
        {name: value} for name in ("input", "status", "settings", "stamp", "output") for value in (None, 1, ["a"], {})
    ]
    changes += [{"ms": "1"}, {"outputs": []}, {"outputs": {"y": 1}}, {"outputs": {"y": {"type": 1, "shape": []}}}]
    changes += [{"outputs": {"y": {"type": "f32", "shape": [-1]}}}, {"outputs": {"y": {"type": "f32", "shape": 1}}}]
    others = [json.dumps({**record, **change}) for change in changes]
    others += ["[]", "null", "1", '"a"', "NaN", "{}", "[" * 100_000, '{"a":' * 100_000, "9" * 5000, "\0" * 1000]
    others += [json.dumps({name: value for name, value in record.items() if name != left}) for left in record]
    kept = [line for line in others if "ms" not in line]
    path.write_text("\n".join([*others, *lines[:1], *kept]))
    result = run("run", clamp, "--batch", rows, "-o", out, "--records", path, "--json")
    assert (result.exit_code, {**json.loads(result.stdout), "seconds": 0}) == (
        0,
        {"done": 0, "before": 2, "failed": 0, "seconds": 0},
    )


def test_a_line_separator_in_a_name(run: Run, clamp: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "a\u2028b.npy", ROW)
    given = ("--batch", tmp_path / "a\u2028b.npy", "-o", tmp_path / "out", "--json")
    assert [json.loads(run("run", clamp, *given).stdout)["done"] for _ in range(2)] == [1, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_records_do_not_replace_what_is_read(run: Run, clamp: Path, rows: Path, tmp_path: Path) -> None:
    before = Path(clamp).read_bytes()
    (tmp_path / "r.jsonl").symlink_to(clamp)
    (tmp_path / "r.parquet").symlink_to(rows / "0.npy")
    for name in ("r.jsonl", "r.parquet"):
        result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--records", tmp_path / name)
        expected = f"error: {tmp_path / name} is read by this command, expected another file for the output"
        assert one_line(result) == expected
    assert Path(clamp).read_bytes() == before
    os.mkfifo(tmp_path / "pipe.jsonl")
    result = run("run", clamp, "--batch", rows, "-o", tmp_path / "out", "--records", tmp_path / "pipe.jsonl")
    assert one_line(result) == f"error: {tmp_path / 'pipe.jsonl'}: a named pipe, expected a regular file"
