"""The records of a run as a table in Parquet; the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics.installing import install
from irrun.diagnostics.requests import RequestError
from irrun.document.replacing import replacing
from irrun.evaluation.batch.work import Record

SUFFIX: Final = ".parquet"


def require() -> None:
    """Raise RequestError where pyarrow is not installed."""
    arrow()


def write(path: Path, records: Iterable[Record]) -> None:
    """Write a row for each record."""
    pa, parquet = arrow()
    output = pa.struct([("name", pa.string()), ("type", pa.string()), ("shape", pa.list_(pa.int64()))])
    columns = {name: pa.string() for name in ("input", "status", "error", "output", "stamp", "settings")}
    schema = pa.schema({**columns, "ms": pa.float64(), "outputs": pa.list_(output)})
    table = pa.Table.from_pylist([_row(record) for record in records], schema)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        parquet.write_table(table, file)


def _row(record: Record) -> dict[str, Any]:
    texts = {name: _text(value) if isinstance(value, str) else value for name, value in record.items()}
    outputs = record.get("outputs")
    return {**texts, "outputs": outputs and [{"name": name, **item} for name, item in outputs.items()]}


def _text(value: str) -> str:
    """Return a text without the bytes of file names that are not UTF-8, which Parquet cannot hold."""
    return value.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="backslashreplace")


def arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        what = f"records in {SUFFIX} files need the package pyarrow, which is not installed"
        raise RequestError(f"{what}; {install('parquet')}") from None
    return pyarrow, pyarrow.parquet
