"""Faults without their place: values with typed fields, and the exceptions of operations."""

from __future__ import annotations

from typing import Any, ClassVar, dataclass_transform

from irrun.diagnostics.diagnostic import Anchor, Diagnostic, LayerRef, Severity, Suggestion
from irrun.diagnostics.words import did_you_mean


class Placeless:
    """The base of all faults: a code, a message, and what was probably ``meant``; ``at`` a place they are findings."""

    code: ClassVar[str]
    severity: Severity = Severity.ERROR
    meant: str | None = None

    @property
    def message(self) -> str:
        raise NotImplementedError

    def at(
        self,
        anchor: Anchor = Anchor(),  # noqa: B008
        layer: LayerRef | None = None,
        port: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> Diagnostic:
        """Return the finding of this fault at a place; without one, that of what is in no file."""
        suggestion = None if self.meant is None else self.suggestion(anchor, self.meant)
        return Diagnostic(
            self.code, self.message, anchor, self.severity, layer, port, notes=notes, suggestion=suggestion
        )

    def suggestion(self, anchor: Anchor, meant: str) -> Suggestion | None:
        """Return the correction of the text at a place."""
        return Suggestion(anchor, meant)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class FaultType(type):
    """The type of faults, whose annotations are the keyword arguments of their constructor."""


class Fault(Placeless, metaclass=FaultType):
    """A fault of a file. ``words`` are the message, with the fields of the fault in braces."""

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


class Said(Fault):
    """A fault that only its words describe."""

    words = "{self.what}"
    what: str


class OpError(Placeless, ValueError):
    """A fault of an operation.

    ``attribute`` is the name of the attribute as the IR spells it, ``meant`` its probable value, ``input`` the input
    port counted from 0. ``code`` is the code of the diagnostic that the error turns into.
    """

    code: ClassVar[str] = "IR304"
    of_extension: ClassVar[bool] = False
    """True if it is a fault of an extension, whatever its code has raised."""

    def __init__(
        self, message: str, *, attribute: str | None = None, input: int | None = None, meant: str | None = None
    ) -> None:
        super().__init__(message)
        self.attribute = attribute
        self.input = input
        self.meant = meant

    @property
    def message(self) -> str:
        return str(self)

    def suggestion(self, anchor: Anchor, meant: str) -> Suggestion | None:
        """Return the correction of the value of an attribute; None for other places."""
        if anchor.attribute is None:
            return None
        return super().suggestion(anchor._replace(part="value") if anchor.part == "attribute" else anchor, meant)
