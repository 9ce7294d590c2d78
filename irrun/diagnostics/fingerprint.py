"""What stays the same of a finding when the file around it changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from irrun.diagnostics.diagnostic import Diagnostic, LayerRef
from irrun.diagnostics.render import Finding


def fingerprint(diagnostic: Diagnostic) -> str:
    """Sixteen hexadecimal digits made of the code, the layer and the message: no line, no column, no file."""
    return digest(diagnostic.code, layer_name(diagnostic.layer), diagnostic.message)


def layer_name(layer: LayerRef | None) -> str:
    """``Pad "pad"``: what a layer is known by when layers before it come and go; its id where it has no name."""
    if layer is None:
        return ""
    return f'{layer.type} "{layer.name}"' if layer.name else f"{layer.type} {layer.id}"


def digest(*parts: str) -> str:
    """Sixteen hexadecimal digits made of texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", errors="replace")).hexdigest()[:16]


def counted(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str, int]]:
    """Each finding with its fingerprint, and how many of its file have had the same one before it."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        mark = fingerprint(finding.diagnostic)
        yield finding, mark, seen[finding.filename, mark]
        seen[finding.filename, mark] += 1
