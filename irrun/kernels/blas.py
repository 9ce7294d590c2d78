"""The threads of BLAS, of which the process has one number for all callers."""

from __future__ import annotations

from typing import Any, Final

from irrun.kernels.locks import Lock
from irrun.kernels.threads import by_affinity

_LIBRARIES: Final[list[Any]] = []
"""The libraries whose number of threads was set, which other callers may set too."""

_LOCK: Final = Lock()


def threads() -> int:
    """Return the number of threads of BLAS: by itself one for each processor of the process's affinity."""
    return int(_LIBRARIES[0].num_threads) if _LIBRARIES else by_affinity()


def set_threads(count: int) -> None:
    """Set the number of threads of BLAS for the whole process, if it is another one."""
    if count == threads():
        return
    with _LOCK:
        if not _LIBRARIES:
            from threadpoolctl import ThreadpoolController

            _LIBRARIES[:] = ThreadpoolController().select(user_api="blas").lib_controllers
        for library in _LIBRARIES:
            library.set_num_threads(count)
