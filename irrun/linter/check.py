"""Runs the rules on a file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, overload

from irrun.diagnostics import Diagnostic, IRError, Severity
from irrun.diagnostics.internal import Boundary
from irrun.diagnostics.render import Finding, Source, record
from irrun.document import Document
from irrun.document.encoding import decode
from irrun.document.reader import document, load
from irrun.document.source_map import SourceMap
from irrun.document.weights import WeightsOutOfRange
from irrun.graph import bind
from irrun.inference import infer
from irrun.linter.consequences import causes_of, unexplained
from irrun.linter.context import Context
from irrun.linter.files import STDIN
from irrun.linter.given import UnknownPort, Values, facts_of
from irrun.linter.rule import adding, rules
from irrun.linter.suppression import unsuppressed
from irrun.ops.available import operations_of
from irrun.ops.extending import ExtensionSource, extended
from irrun.ops.releases import least

_MARK: Final = b"irrun:"
"""The marker of suppression comments; a file that contains it is checked with all rules."""


class Report(Sequence[Diagnostic]):
    """The diagnostics of one file, in the order of the file.

    ``ports`` is the number of output ports verified, ``openvino`` the first release of OpenVINO that reads the file,
    None where it is unknown.
    """

    def __init__(
        self,
        filename: str,
        source: Source,
        diagnostics: Sequence[Diagnostic],
        ports: int = 0,
        openvino: str | None = None,
    ) -> None:
        self.filename = filename
        self.ports = ports
        self.openvino = openvino
        self._rules = rules()
        self._source = source
        self._diagnostics = tuple(sorted(diagnostics, key=self._place))

    def findings(self) -> list[Finding]:
        """Return the diagnostics with their places, ready to be rendered."""
        named = [(item, self._rules.get(item.code)) for item in self._diagnostics]
        return [
            Finding(item, self.filename, self._source, *(("", "") if rule is None else (rule.name, rule.url())))
            for item, rule in named
        ]

    def as_dicts(self) -> list[dict[str, object]]:
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


def lint(
    path: str | os.PathLike[str],
    weights: str | os.PathLike[str] | None = None,
    values: Values = (),
    target_version: str | None = None,
    asked: Collection[str] = (),
    *,
    data: bytes | None = None,
    codes: Collection[str] | None = None,
    target_precision: str | None = None,
    max_memory: int | None = None,
    purposes: Collection[str] = (),
    extensions: Iterable[ExtensionSource] = (),
) -> Report:
    """Check one IR file, for the release ``target_version`` of OpenVINO where one is given.

    ``values`` holds the values of unconnected ports, for a file that is a bare layer: pairs of a port id, an input name
    or ``LAYER.PORT``, and the elements. ``asked`` are codes of opt-in rules to report as infos too. ``data`` replaces
    the content of the file, which then need not exist. ``codes`` limits the work to rules with these codes, None for
    all; the report may still contain others. ``target_precision`` is f16 where the model is to be computed in f16,
    ``max_memory`` the most bytes that its tensors may take, ``purposes`` what it is for: genai, npu. ``extensions`` are
    Python files, modules or classes of operations and rules beyond irrun's. OSError where a file cannot be opened,
    UnknownPort where no port accepts a value, ExtensionError where an extension cannot be used.
    """
    filename = os.fspath(path)
    try:
        content = load(Path(path)) if data is None else data
    except IRError as error:
        return Report(filename, SourceMap(b""), error.diagnostics)
    added = [*extended(), *extensions]
    operations = operations_of(added)
    with adding(added), Boundary(filename, (UnknownPort,)):
        try:
            place = None if data is not None and filename == STDIN else Path(path)
            read = document(content, place, Path(weights) if weights is not None else None)
        except IRError as error:
            source = SourceMap(content)
            return Report(filename, source, unsuppressed(error.diagnostics, decode(content).data, source))
        bound = bind(read, operations, correct=True)
        given = facts_of(bound, values)
        facts = infer(bound.graph, read.weights, given)
        breaks = {code: rule.breaks for code, rule in rules().items()}
        context = Context(read, bound, facts, given, target_version, target_precision, max_memory, purposes, breaks)
        needed = _needed(codes, asked, read.data, exact=target_precision is not None)
        release = least({node.version for node in bound.graph.walk()}, read.net.version)
        return Report(filename, read.source_map, _left(context, needed, asked), len(context.outputs), release)


def _left(context: Context, needed: Collection[str], asked: Collection[str]) -> list[Diagnostic]:
    """Return the findings that are reported, with their fixes."""
    read = context.document
    found = [*read.diagnostics, *context.bound.diagnostics, *_merged(context.failures()), *_checked(context, needed)]
    try:
        read.weights.check()
    except WeightsOutOfRange as error:
        found = [Diagnostic(error.code, error.message)]
    wanted = _wanted(unexplained(_in_full(found, read), context), asked)
    return unsuppressed(_fixed(wanted, context), read.data, read.source_map)


def _checked(context: Context, codes: Collection[str]) -> Iterator[Diagnostic]:
    for code, rule in rules().items():
        if code in codes:
            yield from rule().check(context)


def _fixed(found: Iterable[Diagnostic], context: Context) -> list[Diagnostic]:
    """Return the findings, each with its fix if there is one."""
    fixed = list(found)
    unfixed: dict[str, list[int]] = {}
    for index, item in enumerate(fixed):
        if item.fix is None:
            unfixed.setdefault(item.code, []).append(index)
    for code, indices in unfixed.items():
        for index, fix in zip(
            indices, rules()[code]().fixes([fixed[index] for index in indices], context), strict=True
        ):
            fixed[index] = fixed[index]._replace(fix=fix)
    return fixed


def _needed(codes: Collection[str] | None, asked: Collection[str], data: bytes, *, exact: bool) -> set[str]:
    """Return the rules to check for findings of some codes, including the rules whose findings suppress those.

    With ``exact``, opt-in infos are included.
    """
    known = rules()
    needed = set(known if codes is None or _MARK in data else codes)
    if any(known[code].needs_sound for code in needed):
        needed |= {code for code, rule in known.items() if rule.severity is Severity.ERROR}
    needed |= causes_of(needed)
    if exact:
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
