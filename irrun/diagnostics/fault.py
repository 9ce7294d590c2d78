"""Faults as values: the kind of a fault and its details in typed fields, without its place."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from irrun.diagnostics.diagnostic import Anchor, Diagnostic, LayerRef, Severity, Suggestion


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault of a file. ``meant`` is the text that was probably meant at its place."""

    code: ClassVar[str]
    severity: Severity = Severity.ERROR
    meant: str | None = None

    @property
    def message(self) -> str:
        raise NotImplementedError

    def at(
        self, anchor: Anchor, layer: LayerRef | None = None, port: str | None = None, notes: tuple[str, ...] = ()
    ) -> Diagnostic:
        """Return the finding of this fault at a place."""
        found = Diagnostic(self.code, self.message, anchor, self.severity, layer, port, notes=notes)
        if self.meant is None:
            return found
        return dataclasses.replace(found, suggestion=Suggestion(anchor, self.meant))


@dataclass(frozen=True, kw_only=True)
class Said(Fault):
    """A fault that only its words describe."""

    what: str

    @property
    def message(self) -> str:
        return self.what
