"""The work of ``irrun lint``, from its options to its exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import click

from irrun.cli.console import detail, fail, level, note, result, warn
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT, OWN_FAULT, Failure
from irrun.cli.lint_reports import results_of, say, say_failure
from irrun.cli.settings import record, text
from irrun.cli.values import as_json
from irrun.diagnostics import statistics
from irrun.diagnostics.render import Finding, plain
from irrun.diagnostics.results import Problem
from irrun.document.reader import MOST_BYTES
from irrun.document.replacing import replacing
from irrun.evaluation.files.targets import refuse_inputs
from irrun.jobs.cluster import ClusterError
from irrun.jobs.items import processors
from irrun.linter import baseline
from irrun.linter.apply import is_wanted
from irrun.linter.batch import Checked, Fixing, Task, check_all, collect_rarely
from irrun.linter.check import IRFile, Linter
from irrun.linter.files import STDIN, Exclusion, Found, NoSuchFile, expanded, is_place
from irrun.linter.given import Values
from irrun.linter.resolving import ignored, settings_of, unknown_rules
from irrun.linter.selection import summary
from irrun.linter.settings import LinterSettings
from irrun.settings import BadConfiguration, Project, Projects, Value
from irrun.settings.project import OWN_FILE, PROJECT_FILE
from irrun.settings.resolving import COMMAND_LINE

FOUND: Final = 1

_SUMMED_UP: Final = ("full", "grouped")


@dataclass(frozen=True, slots=True)
class LintOptions:
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
    allow_empty: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_settings: bool = False
    jobs: int = 1
    scheduler: str | None = None


class _Settings:
    """The settings for each file, as the options give them, or the configurations of its folder and the current one."""

    def __init__(self, options: LintOptions) -> None:
        self._given = options.given
        self._projects = Projects(options.config, isolated=options.isolated)
        self._known: dict[Path, tuple[LinterSettings, dict[str, Value]]] = {}
        self.current = self._projects.of(Path.cwd())
        _, self.of_command = self.of(Path.cwd() / "*.xml")

    @property
    def exclusion(self) -> Exclusion:
        """The files to skip: patterns of the command line are relative to the current folder."""
        patterns, forced = self.of_command["exclude"], self.of_command["force-exclude"].value
        return Exclusion(patterns.value, forced, None if patterns.origin == COMMAND_LINE else self.current.root)

    def unused(self) -> list[str]:
        """Return what to say of settings of rules that are not known."""
        values = [found["rules"] for _, found in self._known.values()]
        found = {(item.origin, text) for item in values for text in unknown_rules(item.value)}
        return [
            f"{origin}: the settings of {text} are not used: no rule is called so; --extension gives one"
            for origin, text in sorted(found)
        ]

    def project(self, path: Path) -> Project:
        return self._projects.of(path.parent)

    def of(self, path: Path) -> tuple[LinterSettings, dict[str, Value]]:
        project = self.project(path)
        if project.root not in self._known:
            self._known[project.root] = settings_of(self._given, project, self.current)
        settings, values = self._known[project.root]
        codes = frozenset(settings.codes or ()) - ignored(path, self._given, project)
        return replace(settings, codes=codes), values


def run(options: LintOptions) -> int:
    """Check the files, print the findings and return the exit status; Failure where nothing can be checked.

    The report of a run that fails says so.
    """
    collect_rarely()
    output_format = options.given.get("output-format", "full")
    try:
        settings = _Settings(options)
        output_format = settings.of_command["output-format"].value
        return _run(options, settings)
    except (BadConfiguration, NoSuchFile, baseline.BadBaseline, ClusterError) as error:
        say_failure(error, output_format, options.output_file)
        raise Failure(str(error)) from None


def _run(options: LintOptions, settings: _Settings) -> int:
    output_format, recorded = (settings.of_command[key].value for key in ("output-format", "baseline"))
    if options.statistics and output_format not in ("full", "concise", "grouped", "json"):
        raise Failure(f"--statistics requires the format full, concise, grouped or json, not {output_format}")
    known = None if recorded is None or options.write_baseline is not None else baseline.read(recorded)
    unmatched: list[NoSuchFile] = []
    named = expanded(options.files, settings.exclusion, unmatched.append)
    for error in unmatched:
        if not named and not options.allow_empty:
            raise error
        (warn if options.allow_empty else fail)(str(error))
    written = [path for path in (options.output_file, options.write_baseline) if path is not None]
    if written:
        refuse_inputs(written, _read(options, settings, named))
    if options.show_settings:
        return _show_settings(named, output_format, settings)
    tasks = [_task(found, options, settings, known) for found in named]
    for said in settings.unused():
        note(said)
    checked = _checked(tasks, options)
    problems = [Problem(item.filename, item.problem) for item in checked if item.problem]
    if not options.allow_empty:
        matched = [argument for argument in options.files if all(argument != error.argument for error in unmatched)]
        problems += [Problem("", text) for text in (*map(str, unmatched), *_empty(matched, named, checked))]
    if options.diff:
        status = _show_diffs(checked, exit_zero=options.exit_zero)
        return CANNOT if problems else status
    findings = [finding for item in checked for finding in item.findings]
    files = [item.filename for item in checked if not item.problem and not item.passed_over]
    if options.write_baseline is not None:
        return CANNOT if problems else _write_baseline(findings, options.write_baseline)
    old = gone = 0
    if known is not None:
        findings, old, gone = known.split(findings, files)
    results = results_of(findings, checked, problems, colour=options.output_file is None)
    say(results, output_format, options.output_file, counts=options.statistics)
    if output_format in _SUMMED_UP and not options.statistics and files and level() >= 0:
        in_baseline = f", {old} in the baseline" if old else ""
        count = sum(item.fixed for item in checked)
        fixed = f", {count} fixed" if count else ""
        verdict = statistics.found(len(findings)) if old and not problems else statistics.verdict(results)
        click.echo(plain(f"{statistics.checked(results)}: {verdict}{in_baseline}{fixed}"), err=True)
        for line in statistics.unverified(results):
            note(line)
        if fixable := _fixable(findings, options):
            note(fixable)
    if gone:
        note(
            f"{statistics.found(gone)} of the baseline no longer {'occurs' if gone == 1 else 'occur'};"
            " --write-baseline updates it"
        )
    if problems:
        return OWN_FAULT if any(item.is_own_fault for item in checked) else CANNOT
    by_file = {task.filename: task.linter.settings for task in tasks}
    fails = any(finding.diagnostic.severity >= by_file[finding.filename].fail_level for finding in findings)
    undecided = any(by_file[filename].require_verified for filename in results.unverified)
    return FOUND if (fails or undecided) and not options.exit_zero else 0


def _empty(arguments: Sequence[str], named: Sequence[Found], checked: Sequence[Checked]) -> Iterator[str]:
    """Yield a message for each folder and pattern in which nothing was checked, and print it."""
    looked_at = {item.filename for item in checked if not item.passed_over}
    places = {place for found in named if str(found.path) in looked_at for place in found.places}
    for argument in dict.fromkeys(arguments):
        if is_place(argument) and argument not in places:
            what = f"{argument}: no IR file was found, expected at least one; --allow-empty accepts none"
            fail(what)
            yield what


def _show_settings(named: Sequence[Found], output_format: str, settings: _Settings) -> int:
    """Print the settings that apply to each file, once for files with equal ones; check nothing."""
    found: dict[str, tuple[dict[str, Any], dict[str, Value]]] = {}
    for path in [item.path for item in named] or [Path.cwd() / "*.xml"]:
        (of_file, values), file = settings.of(path), settings.project(path).file
        codes = of_file.codes or ()
        rules = sorted(codes) if output_format == "json" else summary(codes)
        more = {"file": path, "configuration": None if file is None else file.absolute(), "codes": rules}
        found.setdefault(repr((more["configuration"], rules, values)), (more, values))
    if output_format == "json":
        result(as_json([record(values, **more) for more, values in found.values()]))
    else:
        result("\n\n".join(text(values, **more) for more, values in found.values()))
    return 0


def _fixable(findings: Sequence[Finding], options: LintOptions) -> str:
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


def _read(options: LintOptions, settings: _Settings, named: Sequence[Found]) -> list[Path]:
    """Return the files that the command reads."""
    models = [found.path for found in named]
    weights = [path.with_suffix(".bin") for path in models if path.name] if options.weights is None else []
    known = settings.of_command["baseline"].value if options.write_baseline is None else None
    root = settings.current.root
    others = (options.weights, options.config, known, root / OWN_FILE, root / PROJECT_FILE)
    return [*models, *weights, *(path for path in others if path is not None), *map(Path, extensions())]


def _task(found: Found, options: LintOptions, settings: _Settings, known: baseline.Baseline | None) -> Task:
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
    return Task(file, Linter(of_file, extensions()), fixing, not found.named, found.named and options.quiet_non_ir)


def _stdin() -> bytes:
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Failure(f"the standard input has more than {MOST_BYTES} bytes")
    return data


def _checked(tasks: Sequence[Task], options: LintOptions) -> list[Checked]:
    """Return the result of each file, and report those that could not be checked."""
    checked = list(check_all(tasks, options.jobs or processors(), options.scheduler))
    for item in checked:
        if item.passed_over:
            detail(f"{item.filename} is not an IR and was skipped")
        if item.problem:
            fail(item.problem)
    return checked


def _show_diffs(checked: Sequence[Checked], *, exit_zero: bool) -> int:
    """Print the changes to each file and return the exit status."""
    changed = [item for item in checked if item.diff]
    for item in changed:
        result(item.diff.rstrip("\n"))
    if level() >= 0:
        fixes = statistics.found(sum(item.fixed for item in changed))
        files = f"{len(changed)} file{'s' if len(changed) != 1 else ''}"
        click.echo(f"{fixes} would be fixed in {files}" if changed else "nothing would be fixed", err=True)
    return FOUND if changed and not exit_zero else 0


def _write_baseline(findings: Sequence[Finding], path: Path) -> int:
    with replacing(path) as file:
        file.write(baseline.text(findings, path.parent).encode("utf-8", errors="backslashreplace"))
    note(f"{statistics.found(len(findings)) if findings else 'no findings'} recorded in {path}")
    return 0
