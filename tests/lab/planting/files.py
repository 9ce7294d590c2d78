"""Faults planted into sound files, and what the linter finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from irrun.diagnostics import Diagnostic, Severity
from irrun.document.reader import document
from irrun.graph import Graph, bind
from irrun.inference import infer
from irrun.linter import lint
from irrun.linter.apply import apply_fixes
from irrun.linter.declared import agrees, offending, outputs
from tests.linter.mutator import PORTS, Fault


class Sound(NamedTuple):
    """A file without findings, and its weights."""

    name: str
    text: bytes
    weights: bytes | None


class Planted(NamedTuple):
    """A fault in a file, and the findings that the sound file does not have.

    ``fixed`` is the file after its safe fixes, None if the fault is not in a port.
    """

    sound: Sound
    fault: Fault
    text: bytes
    found: Sequence[Diagnostic]
    fixed: bytes | None

    @property
    def outcome(self) -> str:
        """``found`` for exactly one finding at the fault, ``several``, ``elsewhere`` or ``silent``."""
        if not self.found:
            return "silent"
        if not any(item.anchor.element in self.fault.at for item in self.found):
            return "elsewhere"
        return "found" if len(self.found) == 1 else "several"

    def __str__(self) -> str:
        row = self.sound.text.count(b"\n", 0, self.fault.start) + 1
        old = self.sound.text[self.fault.start : self.fault.end].decode()
        said = [(item.code, item.message) for item in self.found]
        return f"{self.sound.name}:{row}: {self.fault.kind}: {old!r} -> {self.fault.content.decode()!r}: {said}"


class Linter:
    """Checks texts with the weights of one file. ``known`` holds what is found in some."""

    def __init__(self, folder: Path, sound: Sound) -> None:
        self.path = folder / "model.xml"
        self.path.with_suffix(".bin").unlink(missing_ok=True)
        if sound.weights is not None:
            self.path.with_suffix(".bin").write_bytes(sound.weights)
        self.before = Counter((item.code, item.message) for item in lint(self.path, data=sound.text))
        self.known: dict[bytes, list[Diagnostic]] = {sound.text: []}

    def __call__(self, text: bytes) -> list[Diagnostic]:
        if text in self.known:
            return self.known[text]
        before = Counter(self.before)
        found = []
        for item in lint(self.path, data=text):
            if before[item.code, item.message]:
                before[item.code, item.message] -= 1
            elif item.severity > Severity.INFO:
                found.append(item)
        return found


def planted(folder: Path, sound: Sound, faults: Iterable[Fault]) -> Iterator[Planted]:
    """Yield the file with each fault, one at a time; faults that change nothing are skipped."""
    check = Linter(folder, sound)
    for fault in faults:
        text = fault.planted(sound.text)
        if text != sound.text:
            found = check(text)
            check.known[text] = found
            fixed = apply_fixes(text, check).data if fault.kind in PORTS else None
            del check.known[text]
            yield Planted(sound, fault, text, found, fixed)


def harmless(item: Planted) -> str | None:
    """Return the reason why an unreported fault leaves a sound model; None if the model is faulty."""
    before, after = _Model(item.sound.text, item.sound.weights), _Model(item.text, item.sound.weights)
    if after.failed:
        return None
    if before.layers == after.layers:
        return "the same operations with the same values"
    if before.facts == after.facts:
        return "another sound model: every type and shape as before"
    if set(before.facts) == set(after.facts) and after.agrees:
        return "another sound model: every type and shape as declared"
    return None


class _Model:
    """The meaning of a text: its operations and their connections, and the inferred types and shapes."""

    def __init__(self, text: bytes, weights: bytes | None) -> None:
        read = document(text, weights=weights)
        bound = bind(read)
        facts = infer(bound.graph, read.weights)
        self.failed = bool(read.diagnostics or bound.diagnostics or facts.diagnostics)
        self.layers = dict(_layers(bound.graph))
        self.facts = {
            (port.layer.element, port.number): f"{port.fact.type}{port.fact.shape}" for port in outputs(facts)
        }
        self.agrees = all(
            offending(item.port, item.fact.shape) == () and agrees(item.port, item.fact.type) for item in outputs(facts)
        )


def _layers(graph: Graph) -> Iterator[tuple[int, object]]:
    """Yield the operation and inputs of each layer, keyed by element, so that nothing depends on ids."""
    for node in graph.ordered():
        feeders = [
            None if outlet is None else (_element(graph, outlet.node), outlet.port) for outlet in graph.sources(node.id)
        ]
        yield _element(graph, node.id), (repr(node.op), feeders, [body.ports for body in node.bodies.values()])
        for body in node.bodies.values():
            yield from _layers(body.graph)


def _element(graph: Graph, id: int) -> int:
    layer = graph.node(id).layer
    return -1 if layer is None else layer.element


def counted(items: Iterable[Planted]) -> Mapping[str, Counter[str]]:
    """Count the outcomes by kind of fault."""
    kinds: dict[str, Counter[str]] = {}
    for item in items:
        kinds.setdefault(item.fault.kind, Counter())[item.outcome] += 1
        if item.fixed is not None and item.fixed != item.sound.text:
            kinds[item.fault.kind]["not fixed"] += 1
    return kinds


def files(folder: Path) -> Iterator[Sound]:
    """Yield every IR below a folder."""
    for path in sorted(folder.rglob("*.xml")):
        weights = path.with_suffix(".bin")
        yield Sound(
            str(path.relative_to(folder)), path.read_bytes(), weights.read_bytes() if weights.exists() else None
        )


def report(items: Sequence[Planted]) -> Iterator[str]:
    """Yield the number of outcomes of each kind, and the faults that are missed, elsewhere, repeated or not fixed."""
    for kind, outcomes in sorted(counted(items).items()):
        yield " ".join([f"{kind:20}", *(f"{outcome} {count}" for outcome, count in outcomes.most_common())])
    total = Counter(item.outcome for item in items)
    right = total["found"] + total["several"]
    yield f"{right} of {len(items)} found at their element: {100 * right / max(len(items), 1):.2f} %"
    for item in items:
        if item.outcome == "silent":
            yield f"silent, {harmless(item) or 'UNEXPLAINED'}: {item}"
        elif item.outcome != "found":
            yield f"{item.outcome}: {item}"
        elif item.fixed is not None and item.fixed != item.sound.text:
            yield f"not fixed: {item}"
