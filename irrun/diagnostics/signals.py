"""Exceptions of the handlers of signals."""

from __future__ import annotations


def is_of_signal(error: BaseException) -> bool:
    """Return whether the handler of a signal raised an exception.

    Python calls a handler with the frame that the signal interrupts, which is the frame before it in the traceback.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        for value in list(trace.tb_frame.f_locals.values()):
            if value is frame or (isinstance(value, tuple) and any(item is frame for item in value)):
                return True
    return False
