"""The commands ``irrun`` and ``python -m irrun``."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line. Until it is imported, an interrupt ends the process at once."""
    sys.excepthook = _show_unless_interrupt
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from irrun.cli import main as run

    run()


def _show_unless_interrupt(kind: type[BaseException], error: BaseException, trace: "TracebackType | None") -> None:
    """Print the traceback of an exception that ends the process; Python ends it by SIGINT after an interrupt."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


if __name__ == "__main__":
    main()
