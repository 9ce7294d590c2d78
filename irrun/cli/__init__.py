"""The command line."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import warnings
from typing import Final, NoReturn

_OBJECTS: Final = 100_000
"""New objects between two garbage collections: imports make many, none of which is garbage."""

TERMINATED: Final = 143

_SHOWN: Final = "compiled kernels cannot be used|the entry point "
"""The beginnings of the warnings of the library that commands print."""

_PAUSE: Final = 0.005
"""Seconds until a signal is repeated that came while a callback ran."""

_LATE: Final = " ignored due to race condition"
"""The end of Python's message about a signal that came while its handler was replaced by the default."""

_TIMEOUT: Final = "21"
"""Idle threads of OpenBLAS sleep after 2**21 cycles, about a millisecond. By default they spin for 0.1 s."""


def main() -> NoReturn:
    """Run the command line on the arguments of the process and exit with its status."""
    gc.set_threshold(_OBJECTS)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _TIMEOUT)
    sys.unraisablehook = _repeat
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("default", _SHOWN)
        warnings.showwarning = _warn
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from irrun.cli.app import run

        _handle_signals()
        sys.exit(run())
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
        sys.exit(130)
    except MemoryError:
        os.write(2, b"error: not enough memory\n")
        sys.exit(2)
    except OSError:
        sys.exit(2)
    finally:
        _end_at_once()


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as commands do, without the place in the source that issued it."""
    import click

    click.echo(f"{click.style('warning:', fg='yellow')} {message}", err=True)


def _open_streams() -> None:
    """Replace the standard streams that the parent has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _handle_signals() -> None:
    """Let signals that are not ignored raise an exception from now on."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.default_int_handler):
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    """Raise KeyboardInterrupt. A second interrupt ends the process at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


def _terminate(_signal: int, _frame: object) -> NoReturn:
    """End as after an error, so that workers end and unfinished files are removed."""
    sys.exit(TERMINATED)


def _end_at_once() -> None:
    """Let signals end the process from now on, since the interpreter that ends would print their exceptions."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def _repeat(discarded: sys.UnraisableHookArgs) -> None:
    """Repeat a signal whose exception Python has discarded, because it came while a destructor or a callback ran."""
    said = str(discarded.exc_value)
    if isinstance(discarded.exc_value, OSError) and said.endswith(_LATE):
        signal.raise_signal(int(said.split()[1]))
        return
    if not isinstance(discarded.exc_value, KeyboardInterrupt | SystemExit):
        sys.__unraisablehook__(discarded)
        return
    import _thread
    import threading

    _handle_signals()
    number = signal.SIGINT if isinstance(discarded.exc_value, KeyboardInterrupt) else signal.SIGTERM
    main = threading.main_thread().ident

    def repeat() -> None:
        """Signal the main thread, which ends its sleep; only Windows has no signals of threads."""
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, number)
        else:
            _thread.interrupt_main(number)

    while True:
        again = threading.Timer(_PAUSE, repeat)
        again.daemon = True
        try:
            again.start()
        except (KeyboardInterrupt, SystemExit):
            # The signal may arrive while the timer of the one before is started: nobody would see its exception here.
            _handle_signals()
        else:
            return
