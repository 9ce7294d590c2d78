"""The boundary of the API: only documented exceptions leave it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final

import numpy as np

from irrun.diagnostics.diagnostic import Diagnostic, IRError
from irrun.diagnostics.fault import OpError
from irrun.diagnostics.signals import is_of_signal

REPORT: Final = "https://github.com/irrun/irrun/issues"


class InternalError(RuntimeError):
    """A fault of irrun itself, never of a model or of its inputs; the cause is the original exception."""

    def __init__(self, cause: BaseException) -> None:
        what = f"{type(cause).__name__}: {cause}".replace("\n", " ")
        super().__init__(f"irrun itself failed: {what}; please report it with the model at {REPORT}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets the text; that of the cause is part of it.
        return RuntimeError.__new__, (InternalError, *self.args)


class Boundary:
    """A context that converts exceptions other than IRError, OSError, InternalError and the documented ones.

    MemoryError and the fault of an extension become an IRError, everything else an InternalError; what the handler of a
    signal raises passes through. NumPy does not warn inside.
    """

    def __init__(self, filename: str = "", documented: tuple[type[Exception], ...] = ()) -> None:
        self._filename = filename
        self._documented = (IRError, OSError, InternalError, *documented)
        self._errstate = np.errstate(all="ignore")

    def __enter__(self) -> None:
        self._errstate.__enter__()

    def __exit__(
        self, _type: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._errstate.__exit__(None, None, None)
        if error is not None and is_of_signal(error):
            return
        if isinstance(error, MemoryError):
            raise IRError([out_of_memory(error)], self._filename) from error
        if isinstance(error, OpError) and error.of_extension:
            raise IRError([error.at()], self._filename) from error
        if isinstance(error, Exception) and not isinstance(error, self._documented):
            raise InternalError(error) from error


def out_of_memory(error: MemoryError) -> Diagnostic:
    """Return the finding for memory that the system refuses."""
    detail = f": {error}" if str(error) else ""
    return Diagnostic("IR804", f"not enough memory{detail}")
