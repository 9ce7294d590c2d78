"""The commands ``irrun`` and ``python -m irrun``."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line. Until it is imported, an interrupt ends the process at once."""
    sys.excepthook = _show_unless_interrupt
    sys.unraisablehook = _end_if_interrupt
    import atexit
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    status: list[object] = []
    atexit.register(_leave, status)
    from irrun.cli import main as run

    try:
        run()
    except SystemExit as ending:
        status.append(ending.code)
        raise


def _leave(status: "list[object]") -> None:
    """End the process behind all other callbacks, which were registered later: the system frees its memory at once.

    Python would free one object after the other, which takes a tenth of the time of a small model. The exit status is
    the element of the list, once it is known.
    """
    if status and isinstance(status[0], int):
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # Python says it.
        os._exit(status[0])


def _show_unless_interrupt(kind: type[BaseException], error: BaseException, trace: "TracebackType | None") -> None:
    """Print the traceback of an exception that ends the process; Python ends it by SIGINT after an interrupt."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def _end_if_interrupt(discarded: "sys.UnraisableHookArgs") -> None:
    """End the process by an interrupt whose exception Python has discarded, because it came while a callback ran."""
    if not issubclass(discarded.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(discarded)
        return
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
