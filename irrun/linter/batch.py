"""Checks many files, in this process or in several."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from irrun.diagnostics import Diagnostic, IRError
from irrun.diagnostics.excerpt import excerpted
from irrun.diagnostics.internal import InternalError
from irrun.diagnostics.render import Finding
from irrun.document.reader import load
from irrun.document.replacing import clear
from irrun.jobs import Lost, in_order, spread
from irrun.linter.apply import apply_fixes, diff
from irrun.linter.apply import replace as replace_file
from irrun.linter.baseline import Baseline
from irrun.linter.check import Report, lint
from irrun.linter.files import looks_like_ir
from irrun.linter.given import UnknownPort, Values

COLLECTING: Final = 50_000, 20, 100
"""Thresholds of the garbage collector, by generation."""


@dataclass(frozen=True, slots=True)
class Task:
    """A file to check. ``codes`` are the rules that apply to it, ``asked`` those that the user selected explicitly.

    ``data`` replaces the bytes of the file, which then need not exist. With ``passing``, a file that is not an IR is
    skipped. ``fixing`` selects the fixes to apply; with ``written`` the file itself is changed, otherwise only the diff
    is shown. Findings in ``baseline`` are not fixed. ``extensions`` are Python files of operations and rules.
    """

    filename: str
    codes: frozenset[str]
    weights: Path | None = None
    values: Values = ()
    passing: bool = False
    data: bytes | None = None
    target_version: str | None = None
    asked: frozenset[str] = frozenset()
    fixing: Literal["safe", "unsafe"] | None = None
    written: bool = False
    target_precision: str | None = None
    baseline: Baseline | None = None
    max_memory: int | None = None
    purposes: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a task: its findings, or the ``problem`` that prevented the check; both empty if ``passed_over``.

    ``is_own_fault`` says that irrun itself failed.

    ``fixed`` counts the fixed findings, and ``diff`` shows the changes where nothing was written. ``openvino`` is the
    first release that reads the file.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    ports: int = 0
    problem: str = ""
    passed_over: bool = False
    fixed: int = 0
    diff: str = ""
    openvino: str | None = None
    is_own_fault: bool = False


def collect_rarely() -> None:
    """Make the garbage collector of this process run less often: objects live until their file is checked."""
    gc.set_threshold(*COLLECTING)


def check(task: Task) -> Checked:
    """Check one file."""
    try:
        data = task.data
        if task.passing:
            data = load(Path(task.filename)) if data is None else data
            if not looks_like_ir(data):
                return Checked(task.filename, passed_over=True)
        if task.fixing is not None:
            return _fixed(task, data)
        is_file = task.data is None and Path(task.filename).is_file()
        report = _checked(task, None if is_file else data)
    except OSError as error:
        return Checked(task.filename, problem=_refused(error, task.filename))
    except IRError as error:
        return Checked(task.filename, problem=str(error))
    except InternalError as error:
        return Checked(task.filename, problem=f"{task.filename}: {error}", is_own_fault=True)
    except UnknownPort as error:
        return Checked(task.filename, problem=f"{task.filename}: {error}")
    return Checked(task.filename, _counting(report, task), report.ports, openvino=report.openvino)


def _checked(task: Task, data: bytes | None) -> Report:
    """Return the report of the file, or of ``data`` in its place."""
    return lint(
        task.filename,
        task.weights,
        task.values,
        task.target_version,
        task.asked,
        data=data,
        codes=task.codes,
        target_precision=task.target_precision,
        max_memory=task.max_memory,
        purposes=task.purposes,
        extensions=task.extensions,
    )


def _fixed(task: Task, data: bytes | None) -> Checked:
    """Apply the fixes of one file, then report the remaining findings. OSError and UnknownPort are passed on."""
    path = Path(task.filename)
    before = load(path) if data is None else data
    reports: list[Report] = []

    def found(text: bytes) -> list[Diagnostic]:
        report = _checked(task, text)
        reports.append(report)
        found = [finding for finding in report.findings() if finding.diagnostic.code in task.codes]
        if task.baseline is not None:
            found, _, _ = task.baseline.split(found, [task.filename])
        return [finding.diagnostic for finding in found]

    outcome = apply_fixes(before, found, unsafe=task.fixing == "unsafe")
    if task.written:
        clear(path)
        if outcome.data != before:
            replace_file(path, before, outcome.data)
    shown = "" if task.written else diff(task.filename, before, outcome.data)
    left = _counting(reports[-1], task)
    ports, release = reports[-1].ports, reports[-1].openvino
    return Checked(task.filename, left, ports, fixed=len(outcome.applied), diff=shown, openvino=release)


def _counting(report: Report, task: Task) -> tuple[Finding, ...]:
    """Return the findings of the rules that apply to a file."""
    return excerpted([finding for finding in report.findings() if finding.diagnostic.code in task.codes])


class _Checking:
    """Checks files in a worker, which may have another working directory."""

    def __init__(self) -> None:
        self._is_ready = False
        self._root = Path.cwd()

    def __call__(self, task: Task) -> Checked:
        if not self._is_ready:
            collect_rarely()
            self._is_ready = True
        return check(task) if Path.cwd() == self._root else self._check_elsewhere(task)

    def _check_elsewhere(self, task: Task) -> Checked:
        """Check a file by its whole path, and return the result under its name."""
        whole = str(self._root / task.filename)
        weights = None if task.weights is None else self._root / task.weights
        extensions = tuple(str(self._root / path) for path in task.extensions)
        found = check(replace(task, filename=whole, weights=weights, extensions=extensions))
        return replace(
            found,
            filename=task.filename,
            findings=tuple(replace(finding, filename=task.filename) for finding in found.findings),
            problem=found.problem.replace(whole, task.filename),
            diff=found.diff.replace(whole, task.filename),
        )


def check_all(tasks: Sequence[Task], processes: int = 1, scheduler: str | None = None) -> Iterator[Checked]:
    """Check files, here or on a cluster, and yield the results in the order of the tasks.

    A file that ends the process which checks it is the problem of its result.
    """
    for task, result in zip(tasks, in_order(spread(_Checking(), tasks, processes, scheduler)), strict=True):
        if isinstance(result, Lost):
            yield Checked(task.filename, problem=f"{task.filename}: {result.reason}", is_own_fault=True)
        else:
            yield result


def _refused(error: OSError, filename: str) -> str:
    named = error.filename if isinstance(error.filename, str | os.PathLike) else filename
    return f"{os.fspath(named)}: {error.strerror or error}"
