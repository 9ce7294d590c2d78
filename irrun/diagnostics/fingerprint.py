"""Identifies a finding independently of its position in the file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from irrun.diagnostics.diagnostic import Diagnostic, LayerRef
from irrun.diagnostics.render import Finding


def fingerprint(diagnostic: Diagnostic) -> str:
    """Return sixteen hexadecimal digits that depend on the code, the layer and the message, but on no line or file."""
    return digest(diagnostic.code, layer_name(diagnostic.layer), diagnostic.message)


def layer_name(layer: LayerRef | None) -> str:
    """Return ``Pad "pad"``, or type and id where the layer has no name: stable when layers are added or removed."""
    if layer is None:
        return ""
    return f'{layer.type} "{layer.name}"' if layer.name else f"{layer.type} {layer.id}"


def digest(*parts: str) -> str:
    """Return sixteen hexadecimal digits of the hash of some texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", errors="replace")).hexdigest()[:16]


def counted(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str, int]]:
    """Yield each finding with its fingerprint and the number of earlier findings in its file with the same one."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        mark = fingerprint(finding.diagnostic)
        yield finding, mark, seen[finding.filename, mark]
        seen[finding.filename, mark] += 1
