"""The work of ``irrun lint``, from its options to its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import click

from irrun.cli.console import detail, fail, level, note, result, warn
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT, OWN_FAULT, Failure, of_system
from irrun.cli.progress import watched
from irrun.cli.settings import settings_of
from irrun.cli.settings import text as settings_text
from irrun.cli.values import as_json
from irrun.cli.writing import refuse_inputs
from irrun.diagnostics import Severity, formats, statistics
from irrun.diagnostics.naming import naming
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import Results
from irrun.diagnostics.version import __version__
from irrun.document.reader import MOST_BYTES
from irrun.document.replacing import replacing
from irrun.jobs import processors
from irrun.jobs.cluster import ClusterError
from irrun.linter import baseline
from irrun.linter.apply import is_wanted
from irrun.linter.batch import Checked, Task, check_all, collect_rarely
from irrun.linter.catalogue import catalogue
from irrun.linter.configuration import OWN_FILE, PROJECT_FILE, BadConfiguration, Configuration, Configurations
from irrun.linter.files import STDIN, Found, NoSuchFile, expanded
from irrun.linter.selection import ALL, Choice, FileIgnores, meant, selected
from irrun.ops.releases import release

FOUND: Final = 1
DEFAULT_LEVEL: Final = Severity.WARNING

_SUMMED_UP: Final = ("full", "grouped")
_ROOTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Environment variables in which CI systems store the root of the project."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command. None and the empty tuple defer to the configuration."""

    files: tuple[str, ...]
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    config: Path | None = None
    isolated: bool = False
    output_format: str | None = None
    output_file: Path | None = None
    statistics: bool = False
    fail_level: Severity | None = None
    exit_zero: bool = False
    baseline: Path | None = None
    write_baseline: Path | None = None
    weights: Path | None = None
    values: tuple[tuple[str, tuple[float, ...]], ...] = ()
    stdin_filename: str | None = None
    quiet_non_ir: bool = False
    target_version: str | None = None
    target_precision: str | None = None
    max_memory: int | None = None
    purposes: tuple[str, ...] = ()
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_settings: bool = False
    jobs: int = 1
    scheduler: str | None = None

    @property
    def fixing(self) -> Literal["safe", "unsafe"] | None:
        """The kind of fixes to apply or show; None for none."""
        return None if not self.fix and not self.diff else "unsafe" if self.unsafe_fixes else "safe"


def run(options: Options) -> int:
    """Check the files, print the findings and return the exit status; Failure where nothing can be checked."""
    collect_rarely()
    try:
        return _run(options)
    except (BadConfiguration, NoSuchFile, baseline.BadBaseline, ClusterError) as error:
        raise Failure(str(error)) from None


def _run(options: Options) -> int:
    configurations = Configurations(options.config, isolated=options.isolated)
    here = configurations.of(Path.cwd())
    output_format = options.output_format or here.output_format or "full"
    if options.statistics and output_format not in ("full", "concise", "grouped", "json"):
        raise Failure(f"--statistics requires the format full, concise, grouped or json, not {output_format}")
    known = _baseline(options, here)
    unmatched: list[NoSuchFile] = []
    named = expanded(options.files, options.exclude or here.exclude, unmatched.append)
    for error in unmatched:
        if not named:
            raise error
        fail(str(error))
    written = [path for path in (options.output_file, options.write_baseline) if path is not None]
    if written:
        refuse_inputs(written, _read(options, here, named))
    if options.show_settings:
        return _show_settings(named, options, configurations)
    tasks = [_task(found, options, configurations, known) for found in named]
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
        recorded = f", {old} in the baseline" if old else ""
        summary = statistics.checked(len(files), results.ports)
        count = sum(item.fixed for item in checked)
        fixed = f", {count} fixed" if count else ""
        click.echo(f"{summary}: {statistics.found(len(findings))}{recorded}{fixed}", err=True)
        if fixable := _fixable(findings, options):
            note(fixable)
    if gone:
        note(
            f"{statistics.found(gone)} of the baseline no longer {'occurs' if gone == 1 else 'occur'};"
            " --write-baseline updates it"
        )
    if failed:
        return OWN_FAULT if any(item.is_own_fault for item in checked) else CANNOT
    return FOUND if not options.exit_zero and _failing(findings, options, configurations) else 0


def _show_settings(named: Sequence[Found], options: Options, configurations: Configurations) -> int:
    """Print the settings that apply to each file, once for files with equal ones; check nothing."""
    given = {
        "exclude": list(options.exclude),
        "fail-level": None if options.fail_level is None else str(options.fail_level),
        "baseline": None if options.baseline is None else str(options.baseline),
        "target-version": options.target_version,
        "target-precision": options.target_precision,
        "max-memory": options.max_memory,
        "for": list(options.purposes),
    }
    found: dict[str, dict[str, Any]] = {}
    for path in [item.path for item in named] or [Path.cwd() / "*.xml"]:
        here = configurations.of(path.parent)
        settings = settings_of(path, _codes(path, options, configurations), here, given)
        found.setdefault(repr({**settings, "file": ""}), settings)
    if options.output_format == "json":
        result(as_json(list(found.values())))
    else:
        result("\n\n".join(map(settings_text, found.values())))
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


def _read(options: Options, here: Configuration, named: Sequence[Found]) -> list[Path]:
    """Return the files that the command reads."""
    models = [found.path for found in named]
    weights = [path.with_suffix(".bin") for path in models if path.name] if options.weights is None else []
    known = options.baseline or here.baseline if options.write_baseline is None else None
    others = (options.weights, options.config, known, here.root / OWN_FILE, here.root / PROJECT_FILE)
    return [*models, *weights, *(path for path in others if path is not None), *map(Path, extensions())]


def _task(found: Found, options: Options, configurations: Configurations, known: baseline.Baseline | None) -> Task:
    filename, data = str(found.path), None
    if filename == STDIN:
        if options.fix and not options.diff:
            raise Failure("--fix cannot change the standard input; --diff shows what would change")
        filename, data = options.stdin_filename or STDIN, _stdin()
    passing = options.quiet_non_ir or not found.named
    codes = _codes(Path(filename), options, configurations)
    asked = _asked(Path(filename), options, configurations)
    here = configurations.of(Path(filename).parent)
    return Task(
        filename,
        codes,
        options.weights,
        options.values,
        passing,
        data,
        options.target_version or here.target_version,
        asked,
        options.fixing,
        written=options.fix and not options.diff,
        target_precision=options.target_precision or here.target_precision,
        baseline=known if options.fixing is not None else None,
        max_memory=options.max_memory or here.max_memory,
        purposes=options.purposes or here.purposes,
        extensions=extensions(),
    )


def _asked(path: Path, options: Options, configurations: Configurations) -> frozenset[str]:
    """Return the rules selected by name or prefix; all rules where infos fail too."""
    if options.fail_level is Severity.INFO:
        return meant([ALL])
    choice = configurations.of(path.parent).choice
    return meant((*(choice.select or ()), *choice.extend_select, *(options.select or ()), *options.extend_select))


def _codes(path: Path, options: Options, configurations: Configurations) -> frozenset[str]:
    """Return the rules that apply to a file."""
    found = configurations.of(path.parent)
    codes = selected([found.choice, Choice(options.select, options.ignore, options.extend_select)])
    given = tuple(FileIgnores(pattern, ignored, Path.cwd()) for pattern, ignored in options.per_file_ignores)
    for item in given or found.per_file_ignores:
        codes -= item.codes(path)
    return codes


def _stdin() -> bytes:
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Failure(f"the standard input has more than {MOST_BYTES} bytes")
    return data


def _checked(tasks: Sequence[Task], options: Options) -> list[Checked]:
    """Return the result of each file that was not skipped, and report files that could not be checked."""
    results = check_all(tasks, options.jobs or processors(), options.scheduler)
    checked = list(watched(results, len(tasks), sys.stderr) if level() >= 0 else results)
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
        text = statistics.as_json(results) if output_format == "json" else statistics.as_text(results)
    else:
        text = formats.render(output_format, results)
    if options.output_file is not None:
        content = f"{text}\n" if text else ""
        with replacing(options.output_file) as file:
            file.write(content.encode("utf-8", errors="backslashreplace"))
    elif text:
        result(text)
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


def _failing(findings: Sequence[Finding], options: Options, configurations: Configurations) -> bool:
    """Return whether a finding has the severity that fails in its file."""
    for finding in findings:
        least = options.fail_level
        if least is None:
            least = configurations.of(Path(finding.filename).parent).fail_level
        if finding.diagnostic.severity >= (DEFAULT_LEVEL if least is None else least):
            return True
    return False


def _baseline(options: Options, here: Configuration) -> baseline.Baseline | None:
    path = options.baseline or here.baseline
    return None if path is None or options.write_baseline is not None else baseline.read(path)


def _write_baseline(findings: Sequence[Finding], path: Path) -> int:
    with replacing(path) as file:
        file.write(baseline.text(findings, path.parent).encode("utf-8", errors="backslashreplace"))
    note(f"{statistics.found(len(findings)) if findings else 'no findings'} recorded in {path}")
    return 0
