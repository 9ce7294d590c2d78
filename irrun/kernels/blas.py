"""The OpenBLAS library that NumPy is linked to: how many threads it uses, and what its products are made of.

A product of matrices packs both of them first: it copies them into the order in which its innermost kernel reads them.
For a constant matrix that is done once where the kernel itself can be called. It is no part of the library's public
interface, so it is taken only where it has been tried, and only after it has shown that it does what is expected.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_CORES: Final = ("NEHALEM", "SANDYBRIDGE", "HASWELL", "SKYLAKEX")
"""Those that have been tried: all that NumPy's wheels hold for x86-64 but the oldest."""

_NAMES: Final = tuple(f"{prefix}openblas_{{}}{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", ""))

LANES: Final = 16
"""Rows or columns are packed in groups of so many, or of a number that divides it."""

SLACK: Final = 64
"""Elements behind packed ones that may be read in vain."""


@cache
def _library() -> ctypes.CDLL | None:
    """What NumPy is linked to, OpenBLAS or another library."""
    try:
        return ctypes.CDLL(np.linalg._umath_linalg.__file__)
    except (AttributeError, OSError):
        return None


def _function(name: str) -> Any:
    """A function of OpenBLAS whose name may be decorated, ``name`` after ``openblas_``; None where there is none."""
    library = _library()
    names = (pattern.format(name) for pattern in _NAMES)
    return next((getattr(library, full) for full in names if hasattr(library, full)), None)


class Threads:
    """The number of threads of the library; nothing where it is another one."""

    def __init__(self) -> None:
        self._get, self._set = _function("get_num_threads"), _function("set_num_threads")
        if self._get is None or self._set is None:
            self._get = self._set = None
        else:
            self._get.restype, self._get.argtypes = ctypes.c_int, ()
            self._set.restype, self._set.argtypes = None, (ctypes.c_int,)
        self._lock = threading.Lock()
        self._held = 0
        self._before = 1

    @property
    def count(self) -> int | None:
        return None if self._get is None else int(self._get())

    def use(self, count: int) -> None:
        if self._set is not None:
            self._set(count)

    @property
    def is_held(self) -> bool:
        return self._held > 0

    def hold(self) -> None:
        """One thread from now on; may be nested, and in several threads."""
        with self._lock:
            if self._held == 0 and self._set is not None:
                self._before = self._get()
                self._set(1)
            self._held += 1

    def release(self) -> None:
        with self._lock:
            self._held -= 1
            if self._held == 0 and self._set is not None:
                self._set(self._before)


_SIZE: Final = ctypes.c_ssize_t
_POINTER: Final = ctypes.c_void_p

_Function = Callable[..., object]


@dataclass(frozen=True, slots=True)
class MicroKernel:
    """The innermost function of a product of float32 matrices, and those that copy what it reads.

    It works column by column: ``multiply(m, n, k, factor, left, right, out, step)`` adds factor times the product of
    packed matrices [m, k] and [k, n] to ``out``, whose columns lie ``step`` elements apart. So a product of rows is
    that of the turned factors, the other way round.

    The copies are ``copy(k, m or n, from, step, to)``.
    """

    multiply: _Function
    copies: tuple[_Function, _Function, _Function, _Function]

    @classmethod
    def of(cls, library: ctypes.CDLL, core: str) -> MicroKernel:
        """The functions for one kind of processor; AttributeError where the library does not show them."""
        multiply = library[f"sgemm_kernel_{core}"]
        multiply.argtypes = (_SIZE, _SIZE, _SIZE, ctypes.c_float, _POINTER, _POINTER, _POINTER, _SIZE)
        # "o" packs the second factor of the kernel, "i" the first; of "n" and "t" one has runs of the inner axis.
        ot, on, it, in_ = (library[f"sgemm_{kind}copy_{core}"] for kind in ("ot", "on", "it", "in"))
        for copy in (ot, on, it, in_):
            copy.argtypes = (_SIZE, _SIZE, _POINTER, _SIZE, _POINTER)
        return cls(multiply, (ot, on, it, in_))

    def copy(self, *, right: bool, runs_of_depth: bool) -> _Function:
        """What packs a left or a right factor of a product of rows, that is, the kernel's right or left one.

        With ``runs_of_depth`` it is k elements that lie in memory one after the other, and ``step`` leads to the next.
        """
        return self.copies[2 * right + runs_of_depth]


@cache
def micro_kernel() -> MicroKernel | None:
    """The kernel for this processor; None where there is none that can be relied on."""
    library, name = _library(), _function("get_corename")
    if library is None or name is None or not hasattr(os, "uname"):
        return None
    machine = os.uname()
    if (machine.sysname, machine.machine) != ("Linux", "x86_64"):
        return None
    name.restype = ctypes.c_char_p
    core = name().decode().upper()
    if core not in _CORES:
        return None
    try:
        found = MicroKernel.of(library, core)
    except AttributeError:
        return None
    return found if _is_as_expected(found) else None


def _is_as_expected(found: MicroKernel) -> bool:
    """Whether products of packed matrices of odd sizes are what they ought to be, and nothing else is written.

    A part of a packed matrix that begins at a multiple of `LANES` must be what packing that part alone would give.
    """
    rows, depth, columns, behind = 53, 29, 75, 5
    left = (np.arange(rows * depth, dtype=np.float32) % 13 - 6).reshape(rows, depth)
    right = (np.arange(depth * columns, dtype=np.float32) % 11 - 5).reshape(depth, columns)
    product = left @ right
    for turned in (False, True):
        lefts, rights = (np.full(matrix.size + SLACK, np.nan, np.float32) for matrix in (left, right))
        one, other = (np.asfortranarray(matrix) if turned else matrix for matrix in (left, right))
        pack_left = found.copy(right=False, runs_of_depth=not turned)
        pack_right = found.copy(right=True, runs_of_depth=turned)
        pack_left(depth, rows, address(one), rows if turned else depth, address(lefts))
        pack_right(depth, columns, address(other), depth if turned else columns, address(rights))
        if not (np.isnan(lefts[left.size :]).all() and np.isnan(rights[right.size :]).all()):
            return False
        for row, column in ((0, 0), (LANES, 0), (0, 3 * LANES)):
            out = np.ones((rows - row, columns - column + behind), np.float32)
            expected = out.copy()
            expected[:, : columns - column] += product[row:, column:]
            start, begin = address(lefts) + 4 * depth * row, address(rights) + 4 * depth * column
            found.multiply(columns - column, rows - row, depth, 1.0, begin, start, address(out), out.shape[1])
            if not np.array_equal(out, expected):
                return False
    return True


def address(array: Array) -> int:
    """Where the first element of an array lies in memory."""
    place: int = array.__array_interface__["data"][0]
    return place
