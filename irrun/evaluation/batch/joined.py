"""All outputs of a batch in one file, in the order of the inputs: a row of each array for each input."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from irrun.diagnostics import near_match
from irrun.diagnostics.requests import RequestError
from irrun.document.replacing import replacing
from irrun.evaluation.batch import table
from irrun.evaluation.batch.records import saved
from irrun.evaluation.batch.running import Batch
from irrun.evaluation.batch.work import Record
from irrun.evaluation.files import saving

INPUTS: Final = "inputs"
"""The name of the array, or of the column, with the names of the inputs."""

_SUFFIXES: Final = (".npz", table.SUFFIX)


def check(path: Path) -> None:
    """Raise RequestError where outputs cannot be written into a file of this name."""
    if path.suffix not in _SUFFIXES:
        close = near_match(path.suffix, _SUFFIXES) or f", expected {' or '.join(_SUFFIXES)}"
        raise RequestError(f"--into {path}: outputs are not joined in {path.suffix or 'such'} files{close}")
    if path.suffix == table.SUFFIX:
        table.require()


def write(path: Path, batch: Batch) -> int:
    """Write the outputs of the inputs that could be run; return their number.

    An .npz file has an array for each output, with a further first axis, or one that is longer where it was 1, and the
    array ``inputs`` of file names. A .parquet file has a row for each input, and columns of flat lists and of shapes.
    RequestError where outputs of an .npz file have different shapes.
    """
    done = [record for record in batch.latest() if record["status"] == "done"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == table.SUFFIX:
        _write_table(path, done)
    else:
        _write_archive(path, done)
    return len(done)


def _write_archive(path: Path, done: Sequence[Record]) -> None:
    first: Mapping[str, Any] = done[0]["outputs"] if done else {}
    for record in done:
        for name, output in record["outputs"].items():
            if output != first[name]:
                one, other = (f"{item['type']}{item['shape']}" for item in (first[name], output))
                what = f'output "{name}" of {record["input"]} is {other}, and {one} of {done[0]["input"]}'
                raise RequestError(f"{path}: {what}; a {table.SUFFIX} file holds outputs of different shapes")
    members = saving.member_names(first)
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for place, member in enumerate(members):
            start = saved(done[0], place)
            rows = start.shape[1:] if start.shape[:1] == (1,) else start.shape
            if start.dtype.kind == "U":
                whole = np.stack([saved(record, place).reshape(rows) for record in done])
                with archive.open(f"{member}.npy", "w", force_zip64=True) as stream:
                    saving.write_array(stream, whole)
                continue
            head = {"descr": start.dtype.str, "fortran_order": False, "shape": (len(done), *rows)}
            with archive.open(f"{member}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array_header_1_0(SimpleNamespace(write=stream.write), head)
                for record in done:
                    stream.write(np.ascontiguousarray(saved(record, place)).tobytes())
        names = INPUTS if INPUTS not in members else f"{INPUTS}_"
        with archive.open(f"{names}.npy", "w", force_zip64=True) as stream:
            saving.write_array(stream, np.array([_printable(record["input"]) for record in done], np.str_))


def _write_table(path: Path, done: Sequence[Record]) -> None:
    pa, parquet = table.arrow()
    writer = None
    with replacing(path) as file:
        for record in done:
            columns = {INPUTS: pa.array([_printable(record["input"])])}
            for place, name in enumerate(record["outputs"]):
                array = saved(record, place)
                flat = pa.array(array.reshape(-1))
                columns[name] = pa.ListArray.from_arrays(pa.array([0, len(flat)], pa.int32()), flat)
                columns[f"{name} shape"] = pa.array([list(array.shape)], pa.list_(pa.int64()))
            batch = pa.record_batch(columns)
            writer = writer or parquet.ParquetWriter(file, batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()


def _printable(name: str) -> str:
    return name.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="backslashreplace")
