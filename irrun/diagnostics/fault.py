"""Faults as values: the kind of a fault and its details in typed fields, without its place."""

from __future__ import annotations

from typing import Any, ClassVar, dataclass_transform

from irrun.diagnostics.diagnostic import Anchor, Diagnostic, LayerRef, Severity, Suggestion
from irrun.diagnostics.words import did_you_mean


@dataclass_transform(kw_only_default=True, frozen_default=True)
class FaultType(type):
    """The type of faults, whose annotations are the keyword arguments of their constructor."""


class Fault(metaclass=FaultType):
    """A fault of a file. ``meant`` is the text that was probably meant at its place.

    ``words`` are the message, with the fields of the fault in braces.
    """

    code: ClassVar[str]
    words: ClassVar[str] = ""
    severity: Severity = Severity.ERROR
    meant: str | None = None

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)

    @property
    def message(self) -> str:
        return self.words.format(self=self)

    @property
    def close(self) -> str:
        """The suggestion in words, empty without one."""
        return did_you_mean(self.meant)

    def at(
        self, anchor: Anchor, layer: LayerRef | None = None, port: str | None = None, notes: tuple[str, ...] = ()
    ) -> Diagnostic:
        """Return the finding of this fault at a place."""
        found = Diagnostic(self.code, self.message, anchor, self.severity, layer, port, notes=notes)
        if self.meant is None:
            return found
        return found._replace(suggestion=Suggestion(anchor, self.meant))


class Said(Fault):
    """A fault that only its words describe."""

    words = "{self.what}"
    what: str
