"""Checks a file or its bytes, and heeds the comments in it that suppress findings."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from irrun.diagnostics import IRError
from irrun.document import SourceMap
from irrun.document.encoding import decode
from irrun.document.reader import load
from irrun.linter import check
from irrun.linter.check import Report
from irrun.linter.given import Values
from irrun.linter.suppression import unsuppressed


def lint(path: str | os.PathLike[str], weights: str | os.PathLike[str] | None = None, values: Values = ()) -> Report:
    """Check one IR file.

    ``values`` gives what arrives at ports that nothing feeds, for a file that is a bare layer: pairs of a port id, an
    input name or ``LAYER.PORT``, and the elements. OSError where a file cannot be opened, UnknownPort where no port
    takes a value.
    """
    file = Path(path)
    if not file.is_file():
        return lint_bytes(load(file), path, weights, values)
    report = check.lint(path, weights, values)
    try:
        return _heeding(report, load(file))
    except IRError:
        return report


def lint_bytes(
    data: bytes,
    path: str | os.PathLike[str],
    weights: str | os.PathLike[str] | None = None,
    values: Values = (),
) -> Report:
    """Check what would stand in the file at ``path``, as ``lint`` does. The file itself need not be there."""
    beside = Path(path).with_suffix(".bin") if Path(path).name else None
    if weights is None and beside is not None and beside.is_file():
        weights = beside
    with TemporaryDirectory(prefix="irrun-") as folder:
        copy = Path(folder, "model.xml")
        copy.write_bytes(data)
        report = check.lint(copy, weights, values)
    report.filename = os.fspath(path)
    return _heeding(report, data)


def _heeding(report: Report, data: bytes) -> Report:
    """The report without what comments suppress, and with the comments that suppress nothing."""
    text = decode(data).data
    if b"irrun:" not in text:
        return report
    findings = report.findings()
    source = findings[0].source if findings else SourceMap(data)
    return Report(report.filename, source, unsuppressed(list(report), text, source), report.ports)
