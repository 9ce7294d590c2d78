"""Checks many files, in this process or in several."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from irrun.diagnostics import IRError
from irrun.diagnostics.excerpt import excerpted
from irrun.diagnostics.internal import InternalError
from irrun.diagnostics.render import Finding
from irrun.diagnostics.verified import NOTHING, Verified
from irrun.document.reader import load
from irrun.jobs.items import Lost
from irrun.jobs.progress import told
from irrun.jobs.spread import in_order, spread
from irrun.linter.apply import diff, rewrite
from irrun.linter.baseline import Baseline
from irrun.linter.check import IRFile, Linter, Report
from irrun.linter.files import is_xml, looks_like_ir
from irrun.linter.given import UnknownPort
from irrun.ops.blame import ExtensionFault
from irrun.ops.importing import ExtensionError, at

COLLECTING: Final = 50_000, 20, 100
"""Thresholds of the garbage collector, by generation."""


class Fixing(NamedTuple):
    """The way to fix a file: with ``unsafe`` fixes, except findings in ``baseline``; write it, or show a diff."""

    unsafe: bool = False
    written: bool = False
    baseline: Baseline | None = None


class Task(NamedTuple):
    """A file to check, or to fix.

    A file that was ``found`` in a folder or by a pattern is skipped if it is other XML; with ``passing``, whatever is
    not an IR.
    """

    file: IRFile
    linter: Linter
    fixing: Fixing | None = None
    found: bool = False
    passing: bool = False

    @property
    def filename(self) -> str:
        return os.fspath(self.file.path)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a task: its findings, and the ``problem`` that prevented a part of the check, or all of it.

    ``is_own_fault`` says that irrun itself failed.

    ``fixed`` counts the fixed findings, and ``diff`` shows the changes where nothing was written. ``openvino`` is the
    first release that reads the file.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    verified: Verified = NOTHING
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
    """Check one file, or fix it and check what is left."""
    filename = task.filename
    try:
        if task.found or task.passing:
            data = load(Path(filename)) if task.file.data is None else task.file.data
            if not looks_like_ir(data) and (task.passing or is_xml(data)):
                return Checked(filename, passed_over=True)
            if not Path(filename).is_file():
                task = task._replace(file=task.file._replace(data=data))
        if task.fixing is not None:
            return _fixed(task, task.fixing)
        return _checked(filename, task.linter.check(task.file))
    except OSError as error:
        return Checked(filename, problem=_refused(error, filename))
    except IRError as error:
        return Checked(filename, problem=str(error))
    except InternalError as error:
        return Checked(filename, problem=f"{filename}: {error}", is_own_fault=True)
    except (UnknownPort, ExtensionError) as error:
        return Checked(filename, problem=f"{filename}: {error}")


def _checked(filename: str, report: Report) -> Checked:
    """Return the findings of a report; an extension that fails is a problem beside them."""
    failing = [item.message for item in report if item.code == ExtensionFault.code]
    more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
    problem = f"{filename}: {failing[0]}{more}" if failing else ""
    found = [item for item in report.findings() if item.diagnostic.code != ExtensionFault.code]
    return Checked(filename, tuple(excerpted(found)), report.verified, problem, openvino=report.openvino)


def _fixed(task: Task, fixing: Fixing) -> Checked:
    fixed = task.linter.fix(task.file, unsafe=fixing.unsafe, baseline=fixing.baseline)
    if fixing.written:
        rewrite(Path(task.filename), fixed.before, fixed.data)
    shown = "" if fixing.written else diff(task.filename, fixed.before, fixed.data)
    return replace(_checked(task.filename, fixed.report), fixed=len(fixed.applied), diff=shown)


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
        weights = None if task.file.weights is None else self._root / task.file.weights
        extensions = tuple(at(item, self._root) for item in task.linter.extensions)
        linter = Linter(task.linter.settings, extensions)
        found = check(task._replace(file=task.file._replace(path=whole, weights=weights), linter=linter))
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
    results = in_order(spread(_Checking(), tasks, processes, scheduler))
    shown = told(results, "checking", unit="files", total=len(tasks)) if len(tasks) > 1 else results
    for task, result in zip(tasks, shown, strict=True):
        if isinstance(result, Lost):
            yield Checked(task.filename, problem=f"{task.filename}: {result.reason}", is_own_fault=True)
        else:
            yield result


def _refused(error: OSError, filename: str) -> str:
    named = error.filename if isinstance(error.filename, str | os.PathLike) else filename
    return f"{os.fspath(named)}: {error.strerror or error}"
