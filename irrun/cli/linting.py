"""The work of ``irrun lint``, from its options to its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import click

from irrun.cli.console import detail, fail, level, note, result, warn
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT, OWN_FAULT, Failure
from irrun.cli.settings import record, text
from irrun.cli.values import as_json
from irrun.diagnostics import formats, statistics
from irrun.diagnostics.naming import naming, of_system
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import Results
from irrun.diagnostics.version import __version__
from irrun.document.reader import MOST_BYTES
from irrun.document.replacing import replacing
from irrun.evaluation.files.targets import refuse_inputs
from irrun.jobs import processors
from irrun.jobs.cluster import ClusterError
from irrun.linter import baseline
from irrun.linter.apply import is_wanted
from irrun.linter.batch import Checked, Fixing, Task, check_all, collect_rarely
from irrun.linter.catalogue import catalogue
from irrun.linter.check import IRFile, Linter
from irrun.linter.files import STDIN, Found, NoSuchFile, expanded
from irrun.linter.given import Values
from irrun.linter.resolving import ignored, settings_of
from irrun.linter.selection import summary
from irrun.linter.settings import LinterSettings
from irrun.ops.releases import release
from irrun.settings import BadConfiguration, Project, Projects, Value
from irrun.settings.project import OWN_FILE, PROJECT_FILE

FOUND: Final = 1

_SUMMED_UP: Final = ("full", "grouped")
_ROOTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Environment variables in which CI systems store the root of the project."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command. ``given`` are the settings among them, by their keys."""

    files: tuple[str, ...]
    given: Mapping[str, Any] = field(default_factory=dict)
    config: Path | None = None
    isolated: bool = False
    output_file: Path | None = None
    statistics: bool = False
    exit_zero: bool = False
    write_baseline: Path | None = None
    weights: Path | None = None
    values: Values = ()
    stdin_filename: str | None = None
    quiet_non_ir: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_settings: bool = False
    jobs: int = 1
    scheduler: str | None = None


class _Settings:
    """The settings for each file, as the options give them, or the configurations of its folder and the current one."""

    def __init__(self, options: Options) -> None:
        self._given = options.given
        self._projects = Projects(options.config, isolated=options.isolated)
        self._known: dict[Path, tuple[LinterSettings, dict[str, Value]]] = {}
        self.current = self._projects.of(Path.cwd())
        _, self.of_command = self.of(Path.cwd() / "*.xml")

    def project(self, path: Path) -> Project:
        return self._projects.of(path.parent)

    def of(self, path: Path) -> tuple[LinterSettings, dict[str, Value]]:
        project = self.project(path)
        if project.root not in self._known:
            self._known[project.root] = settings_of(self._given, project, self.current)
        settings, values = self._known[project.root]
        codes = frozenset(settings.codes or ()) - ignored(path, self._given, project)
        return replace(settings, codes=codes), values


def run(options: Options) -> int:
    """Check the files, print the findings and return the exit status; Failure where nothing can be checked."""
    collect_rarely()
    try:
        return _run(options, _Settings(options))
    except (BadConfiguration, NoSuchFile, baseline.BadBaseline, ClusterError) as error:
        raise Failure(str(error)) from None


def _run(options: Options, settings: _Settings) -> int:
    output_format, exclude, recorded = (
        settings.of_command[key].value for key in ("output-format", "exclude", "baseline")
    )
    if options.statistics and output_format not in ("full", "concise", "grouped", "json"):
        raise Failure(f"--statistics requires the format full, concise, grouped or json, not {output_format}")
    known = None if recorded is None or options.write_baseline is not None else baseline.read(recorded)
    unmatched: list[NoSuchFile] = []
    named = expanded(options.files, exclude, unmatched.append)
    for error in unmatched:
        if not named:
            raise error
        fail(str(error))
    written = [path for path in (options.output_file, options.write_baseline) if path is not None]
    if written:
        refuse_inputs(written, _read(options, settings, named))
    if options.show_settings:
        return _show_settings(named, output_format, settings)
    tasks = [_task(found, options, settings, known) for found in named]
    checked = _checked(tasks, options)
    if options.diff:
        return _show_diffs(checked, exit_zero=options.exit_zero)
    findings = [finding for item in checked for finding in item.findings]
    files = [item.filename for item in checked if not item.problem]
    failed = len(files) < len(checked) or bool(unmatched)
    if options.write_baseline is not None:
        return CANNOT if failed else _write_baseline(findings, options.write_baseline)
    if not checked and not options.quiet_non_ir:
        warn("no IR file was found")
    old = gone = 0
    if known is not None:
        findings, old, gone = known.split(findings, files)
    results = _results(findings, files, checked, options)
    _say(results, output_format, options)
    if output_format in _SUMMED_UP and not options.statistics and files and level() >= 0:
        in_baseline = f", {old} in the baseline" if old else ""
        summary = statistics.checked(len(files), results.ports)
        count = sum(item.fixed for item in checked)
        fixed = f", {count} fixed" if count else ""
        click.echo(f"{summary}: {statistics.found(len(findings))}{in_baseline}{fixed}", err=True)
        if fixable := _fixable(findings, options):
            note(fixable)
    if gone:
        note(
            f"{statistics.found(gone)} of the baseline no longer {'occurs' if gone == 1 else 'occur'};"
            " --write-baseline updates it"
        )
    if failed:
        return OWN_FAULT if any(item.is_own_fault for item in checked) else CANNOT
    least = {task.filename: task.linter.settings.fail_level for task in tasks}
    fails = any(finding.diagnostic.severity >= least[finding.filename] for finding in findings)
    return FOUND if fails and not options.exit_zero else 0


def _show_settings(named: Sequence[Found], output_format: str, settings: _Settings) -> int:
    """Print the settings that apply to each file, once for files with equal ones; check nothing."""
    found: dict[str, tuple[dict[str, Any], dict[str, Value]]] = {}
    for path in [item.path for item in named] or [Path.cwd() / "*.xml"]:
        (of_file, values), file = settings.of(path), settings.project(path).file
        codes = of_file.codes or ()
        rules = sorted(codes) if output_format == "json" else summary(codes)
        more = {"file": path, "configuration": None if file is None else file.absolute(), "rules": rules}
        found.setdefault(repr((more["configuration"], rules, values)), (more, values))
    if output_format == "json":
        result(as_json([record(values, **more) for more, values in found.values()]))
    else:
        result("\n\n".join(text(values, **more) for more, values in found.values()))
    return 0


def _fixable(findings: Sequence[Finding], options: Options) -> str:
    """Return how many findings have a fix, and which options apply it; the empty text for none."""
    fixes = [item.diagnostic.fix for item in findings]
    safe, unsafe = (sum(is_wanted(fix, unsafe=also) for fix in fixes) for also in (False, True))
    if options.fix and options.unsafe_fixes:
        return ""
    if options.fix:
        return f"--fix --unsafe-fixes guesses how to fix {unsafe - safe}" if unsafe > safe else ""
    more = f"--fix --unsafe-fixes also guesses how to fix {unsafe - safe}" if unsafe > safe else ""
    if not safe:
        return more.replace(" also", "")
    return f"--fix fixes {safe}{'; ' if more else ''}{more}"


def _read(options: Options, settings: _Settings, named: Sequence[Found]) -> list[Path]:
    """Return the files that the command reads."""
    models = [found.path for found in named]
    weights = [path.with_suffix(".bin") for path in models if path.name] if options.weights is None else []
    known = settings.of_command["baseline"].value if options.write_baseline is None else None
    root = settings.current.root
    others = (options.weights, options.config, known, root / OWN_FILE, root / PROJECT_FILE)
    return [*models, *weights, *(path for path in others if path is not None), *map(Path, extensions())]


def _task(found: Found, options: Options, settings: _Settings, known: baseline.Baseline | None) -> Task:
    filename, data = str(found.path), None
    if filename == STDIN:
        if options.fix and not options.diff:
            raise Failure("--fix cannot change the standard input; --diff shows what would change")
        filename, data = options.stdin_filename or STDIN, _stdin()
    of_file, _ = settings.of(Path(filename))
    fixing = None
    if options.fix or options.diff:
        fixing = Fixing(options.unsafe_fixes, options.fix and not options.diff, known)
    file = IRFile(filename, options.weights, options.values, data)
    return Task(file, Linter(of_file, extensions()), fixing, options.quiet_non_ir or not found.named)


def _stdin() -> bytes:
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Failure(f"the standard input has more than {MOST_BYTES} bytes")
    return data


def _checked(tasks: Sequence[Task], options: Options) -> list[Checked]:
    """Return the result of each file that was not skipped, and report files that could not be checked."""
    checked = list(check_all(tasks, options.jobs or processors(), options.scheduler))
    for item in checked:
        if item.passed_over:
            detail(f"{item.filename} is not an IR and was skipped")
        if item.problem:
            fail(item.problem)
    return [item for item in checked if not item.passed_over]


def _show_diffs(checked: Sequence[Checked], *, exit_zero: bool) -> int:
    """Print the changes to each file and return the exit status."""
    changed = [item for item in checked if item.diff]
    for item in changed:
        result(item.diff.rstrip("\n"))
    if level() >= 0:
        fixes = statistics.found(sum(item.fixed for item in changed))
        files = f"{len(changed)} file{'s' if len(changed) != 1 else ''}"
        click.echo(f"{fixes} would be fixed in {files}" if changed else "nothing would be fixed", err=True)
    if any(item.problem for item in checked):
        return CANNOT
    return FOUND if changed and not exit_zero else 0


def _results(
    findings: Sequence[Finding], files: Sequence[str], checked: Sequence[Checked], options: Options
) -> Results:
    codes = {finding.diagnostic.code for finding in findings}
    root = next((Path(os.environ[name]) for name in _ROOTS if os.environ.get(name)), Path.cwd())
    ports = sum(item.ports for item in checked)
    colour = options.output_file is None
    needed = max((item.openvino for item in checked if item.openvino is not None), key=release, default=None)
    return Results(findings, files, ports, catalogue(sorted(codes)), root, __version__, colour, needed)


def _say(results: Results, output_format: str, options: Options) -> None:
    if options.statistics:
        shown = statistics.as_json(results) if output_format == "json" else statistics.as_text(results)
    else:
        shown = formats.render(output_format, results)
    if options.output_file is not None:
        content = f"{shown}\n" if shown else ""
        with replacing(options.output_file) as file:
            file.write(content.encode("utf-8", errors="backslashreplace"))
    elif shown:
        result(shown)
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    summary = formats.summary(output_format, results) if page else None
    if page and summary is not None:
        _append(Path(page), summary)


def _append(path: Path, text: str) -> None:
    try:
        with naming(path), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        warn(f"the summary was not written: {of_system(error)}")


def _write_baseline(findings: Sequence[Finding], path: Path) -> int:
    with replacing(path) as file:
        file.write(baseline.text(findings, path.parent).encode("utf-8", errors="backslashreplace"))
    note(f"{statistics.found(len(findings)) if findings else 'no findings'} recorded in {path}")
    return 0
