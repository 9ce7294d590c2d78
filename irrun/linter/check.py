"""Runs the rules on a file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, overload

from irrun.diagnostics import Diagnostic, IRError, Severity
from irrun.diagnostics.internal import Boundary
from irrun.diagnostics.notebook import html_table
from irrun.diagnostics.render import Finding, FindingRecord, Source, message, record
from irrun.diagnostics.verified import NOTHING, Unverified, Verified
from irrun.document import Document
from irrun.document.encoding import decode
from irrun.document.reader import document, load
from irrun.document.source_map import SourceMap
from irrun.document.weights import WeightsOutOfRange
from irrun.graph import bind
from irrun.inference import infer
from irrun.jobs.collector import collection_paused
from irrun.jobs.progress import told
from irrun.linter.apply import apply_fixes
from irrun.linter.baseline import Baseline
from irrun.linter.consequences import causes_of, unexplained
from irrun.linter.context import Context
from irrun.linter.files import STDIN
from irrun.linter.given import UnknownPort, Values, facts_of
from irrun.linter.rule import adding, rules
from irrun.linter.settings import LinterSettings
from irrun.linter.suppression import unsuppressed
from irrun.linter.verification import verified
from irrun.model.needs import least
from irrun.ops.available import operations_of
from irrun.ops.blame import ExtensionFault
from irrun.ops.extending import ExtensionSource

_MARK: Final = b"irrun:"
"""The marker of suppression comments; a file that contains it is checked with all rules."""


class Report(Sequence[Diagnostic]):
    """The diagnostics of one file, in the order of the file.

    ``ports`` is the number of output ports verified, ``unverified`` are those that inference neither confirms nor
    refutes, by reason. ``openvino`` is the first release of OpenVINO that reads the file, None where it is unknown.
    """

    def __init__(
        self,
        filename: str,
        source: Source,
        diagnostics: Sequence[Diagnostic],
        verified: Verified = NOTHING,
        openvino: str | None = None,
    ) -> None:
        self.filename = filename
        self.verified = verified
        self.openvino = openvino
        self._rules = rules()
        self._source = source
        self._diagnostics = tuple(sorted(diagnostics, key=self._place))

    @property
    def ports(self) -> int:
        return self.verified.ports

    @property
    def unverified(self) -> tuple[Unverified, ...]:
        return self.verified.unverified

    def findings(self) -> list[Finding]:
        """Return the diagnostics with their places, ready to be rendered."""
        named = [(item, self._rules.get(item.code)) for item in self._diagnostics]
        return [
            Finding(item, self.filename, self._source, *(("", "") if rule is None else (rule.name, rule.url())))
            for item, rule in named
        ]

    def as_dicts(self) -> list[FindingRecord]:
        """Return the findings as JSON-ready values."""
        return [record(finding) for finding in self.findings()]

    def _place(self, item: Diagnostic) -> tuple[int, int]:
        place = self._source.locate(item.anchor)
        return place.row, place.column

    @overload
    def __getitem__(self, index: int) -> Diagnostic: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Diagnostic, ...]: ...
    def __getitem__(self, index: int | slice) -> Diagnostic | tuple[Diagnostic, ...]:
        return self._diagnostics[index]

    def __len__(self) -> int:
        return len(self._diagnostics)

    def __repr__(self) -> str:
        return f"<Report {self.filename}: {len(self)} findings>"

    def _repr_html_(self) -> str:
        rows = [
            (
                str(item.diagnostic.severity),
                f"{item.place.row}:{item.place.column}",
                message(item.diagnostic),
                item.name,
            )
            for item in self.findings()
        ]
        note = f"{self.ports:,} output ports verified" + ("" if self._diagnostics else ": all is well")
        if self.unverified:
            note = f"{self.ports:,} output ports verified, {len(self.unverified):,} not"
        return html_table(self.filename, ("severity", "place", "what is wrong", "rule"), rows, note)


class IRFile(NamedTuple):
    """A file to check. ``data`` replaces its content, and then it need not exist.

    ``values`` holds the values of unconnected ports, for a file that is a bare layer: pairs of a port id, an input name
    or ``LAYER.PORT``, and the elements.
    """

    path: str | os.PathLike[str]
    weights: str | os.PathLike[str] | None = None
    values: Values = ()
    data: bytes | None = None


class Fixed(NamedTuple):
    """A file after its fixes: its bytes before and after, the applied fixes, and the report of what is left."""

    before: bytes
    data: bytes
    applied: tuple[Diagnostic, ...]
    report: Report


@dataclass(frozen=True, slots=True)
class Linter:
    """Checks and repairs files by some settings. ``extensions`` are Python files, modules or classes of operations and
    rules beyond irrun's.

    >>> report = Linter(LinterSettings(target_version="2023.3")).check(IRFile("model.xml"))

    OSError where a file cannot be opened, UnknownPort where no port accepts a value, ExtensionError where an extension
    cannot be used.
    """

    settings: LinterSettings = field(default_factory=LinterSettings)
    extensions: tuple[ExtensionSource, ...] = ()

    def check(self, file: IRFile) -> Report:
        """Return the findings of the rules that apply to a file."""
        filename, path = os.fspath(file.path), Path(file.path)
        try:
            content = load(path) if file.data is None else file.data
        except IRError as error:
            return self._report(filename, SourceMap(b""), error.diagnostics)
        operations = operations_of(self.extensions)
        with adding(operations.additions), Boundary(filename, (UnknownPort,)), collection_paused():
            try:
                place = None if file.data is not None and filename == STDIN else path
                read = document(content, place, None if file.weights is None else Path(file.weights))
            except IRError as error:
                source = SourceMap(content)
                left = unsuppressed(error.diagnostics, decode(content).data, source)
                return self._report(filename, source, left)
            bound = bind(read, operations, correct=True)
            given = facts_of(bound, file.values)
            facts = infer(bound.graph, read.weights, given)
            breaks = {code: rule.breaks for code, rule in rules().items()}
            context = Context(read, bound, facts, given, self.settings, breaks)
            need, _ = least(bound.graph, facts, read.net.version)
            release = None if need is None else need.release
            return self._report(filename, read.source_map, _left(context), verified(context), release)

    def fix(self, file: IRFile, *, unsafe: bool = False, baseline: Baseline | None = None) -> Fixed:
        """Return a file after its safe fixes, or with ``unsafe`` all, of the findings that are not in ``baseline``."""
        before = load(Path(file.path)) if file.data is None else file.data
        reports: list[Report] = []

        def found(text: bytes) -> Sequence[Diagnostic]:
            reports.append(self.check(file._replace(data=text)))
            if baseline is None:
                return reports[-1]
            new, _, _ = baseline.split(reports[-1].findings(), [os.fspath(file.path)])
            return [finding.diagnostic for finding in new]

        outcome = apply_fixes(before, found, unsafe=unsafe)
        return Fixed(before, outcome.data, outcome.applied, reports[-1])

    def _report(
        self,
        filename: str,
        source: Source,
        found: Iterable[Diagnostic],
        counts: Verified = NOTHING,
        release: str | None = None,
    ) -> Report:
        kept = [item for item in found if item.code == ExtensionFault.code or self.settings.applies(item.code)]
        return Report(filename, source, kept, counts, release)


def lint(
    path: str | os.PathLike[str],
    weights: str | os.PathLike[str] | None = None,
    values: Values = (),
    *,
    data: bytes | None = None,
    extensions: Iterable[ExtensionSource] = (),
    **settings: Any,
) -> Report:
    """Check one IR file; ``settings`` are those of `LinterSettings`. See `IRFile` and `Linter` for the others."""
    return Linter(LinterSettings(**settings), tuple(extensions)).check(IRFile(path, weights, values, data))


def _left(context: Context) -> list[Diagnostic]:
    """Return the findings that are reported, with their fixes; last those about extensions that fail."""
    read, asked = context.document, context.settings.asked
    needed = _needed(context.settings, read.data)
    bound, inferred = context.bound.diagnostics, context.failures()
    failing = [item for item in (*bound, *context.facts.diagnostics) if item.code == ExtensionFault.code]
    found = [item for item in (*read.diagnostics, *bound, *_merged(inferred)) if item.code != ExtensionFault.code]
    for code, rule in told(rules().items(), "checking", unit="rules"):
        if code in needed:
            found += rule.found(context, failing)
    try:
        read.weights.check()
    except WeightsOutOfRange as error:
        found = [Diagnostic(error.code, error.message)]
    wanted = _wanted(unexplained(_in_full(found, read), context), asked)
    return [*unsuppressed(_fixed(wanted, context, failing), read.data, read.source_map), *failing]


def _fixed(found: Iterable[Diagnostic], context: Context, failing: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings, each with its fix if there is one."""
    fixed = list(found)
    unfixed: dict[str, list[int]] = {}
    for index, item in enumerate(fixed):
        if item.fix is None:
            unfixed.setdefault(item.code, []).append(index)
    for code, indices in unfixed.items():
        fixes = rules()[code].fixed([fixed[index] for index in indices], context, failing)
        for index, fix in zip(indices, fixes, strict=True):
            fixed[index] = fixed[index]._replace(fix=fix)
    return fixed


def _needed(settings: LinterSettings, data: bytes) -> set[str]:
    """Return the rules to check, including those whose findings suppress findings of the rules that apply.

    With a target precision, opt-in infos are included.
    """
    known, asked = rules(), settings.asked
    needed = set(known if settings.codes is None or _MARK in data else settings.codes)
    if any(known[code].needs_sound for code in needed):
        needed |= {code for code, rule in known.items() if rule.severity is Severity.ERROR}
    needed |= causes_of(needed)
    if settings.target_precision is not None:
        return needed
    return {code for code in needed if code in asked or not known[code].opt_in or known[code].severity > Severity.INFO}


def _in_full(found: list[Diagnostic], read: Document) -> list[Diagnostic]:
    """Return the findings without absent attributes in a tag with an ellipsis."""
    known = rules()

    def is_elided(item: Diagnostic) -> bool:
        start = read.source_map.locate(item.anchor).start
        return any(start <= at and b">" not in read.data[start:at] for at in read.repaired.ellipses)

    if not read.repaired.ellipses:
        return found
    return [item for item in found if not (known[item.code].of_absence and is_elided(item))]


def _wanted(found: Iterable[Diagnostic], asked: Collection[str]) -> list[Diagnostic]:
    """Return the findings without infos of opt-in rules that were not selected."""
    known = rules()
    return [
        item
        for item in found
        if item.severity is not Severity.INFO or item.code in asked or not known[item.code].opt_in
    ]


def _merged(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings, merged where they share one cause."""
    kept: list[Diagnostic] = []
    first: dict[str, int] = {}
    others: Counter[str] = Counter()
    for item in found:
        if rules()[item.code].merges is None:
            kept.append(item)
        elif item.code in first:
            others[item.code] += 1
        else:
            first[item.code] = len(kept)
            kept.append(item)
    for code, count in others.items():
        item, (one, more) = kept[first[code]], rules()[code].merges or ("", "")
        note = f"{count} more {more if count > 1 else one}"
        kept[first[code]] = item._replace(notes=(*item.notes, note))
    return kept
