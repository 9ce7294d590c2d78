"""Kernels as such, and the few things that they need and Numba does not have: memory by address, atomic counters.

The arguments of a kernel are a `NamedTuple` of addresses, integers and floats, which it sees as a record. It is called
as ``kernel(arguments, task, workspace)``: with the address of that record, the number of the task that is to be done,
and the address of memory that the worker may use meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

import numba
import numba.extending
import numpy as np
from llvmlite import ir
from numba import carray
from numba.core import ccallback, errors, sigutils, types
from numba.core.compiler_lock import global_compiler_lock

_pointer_to: Any = types.CPointer  # type: ignore[attr-defined,unused-ignore]
_Fixer: Any = errors.WarningsFixer  # type: ignore[attr-defined,unused-ignore]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS: Final = {"nogil": True, "error_model": "numpy"}
_KERNEL_OPTIONS: Final = {"error_model": "numpy"}


def inlined(function: _Function) -> _Function:
    """A function that kernels call. A product and a sum become one instruction."""
    return _cached(numba.njit(**_OPTIONS, fastmath={"contract"})(function))  # type: ignore[no-any-return]


def summing(function: _Function) -> _Function:
    """A function that kernels call, and that may add up in any order."""
    options = {**_OPTIONS, "fastmath": {"reassoc", "contract", "nsz"}}
    return _cached(numba.njit(**options)(function))  # type: ignore[no-any-return]


def entry(signature: str) -> Callable[[_Function], _Function]:
    """A function that Python calls. It is compiled when its module is imported, so that no call waits for that."""

    def compiled(function: _Function) -> _Function:
        made = _cached(numba.njit(**_OPTIONS)(function))
        with compiling():
            made.compile(signature)
        return made  # type: ignore[no-any-return]

    return compiled


def _cached(function: Any) -> Any:
    """Keep what is compiled on disk, where there is a folder to write to."""
    try:
        function.enable_caching()
    except RuntimeError:
        return function
    function._cache._cache_file._source_stamp = _sources()
    return function


@cache
def _sources() -> tuple[Any, ...]:
    """The state of all files of kernels. A change in one of them may change the code of any kernel."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


@contextmanager
def compiling() -> Iterator[None]:
    """Keep Numba from changing the filters of `warnings` while it compiles.

    They belong to all threads, and Numba saves and restores them thousands of times: what another thread sets in
    between would be lost. The lock keeps other threads from compiling meanwhile.
    """
    with global_compiler_lock:
        recorded = _Fixer.catch_warnings
        _Fixer.catch_warnings = lambda *_, **__: nullcontext()
        try:
            yield
        finally:
            _Fixer.catch_warnings = recorded


def intrinsic(function: Callable[..., Any]) -> Any:
    """A function whose LLVM code is written by hand."""
    return numba.extending.intrinsic(function)


class Kernel:
    """A function that is compiled when its address is first asked for, and cached on disk."""

    def __init__(self, arguments: type, function: Callable[[Any, int, int], None]) -> None:
        self.function = function
        self.name = function.__name__
        self.arguments = arguments
        kinds = {name: "f8" if kind is float else "i8" for name, kind in get_type_hints(arguments).items()}
        self.record: np.dtype[Any] = np.dtype(list(kinds.items()))

    @cached_property
    def _compiled(self) -> Any:
        signature = types.void(_pointer_to(numba.from_dtype(self.record)), types.int64, types.int64)
        with compiling():
            made = _cached(ccallback.CFunc(self.function, sigutils.normalize_signature(signature), {}, _KERNEL_OPTIONS))
            made.compile()
        return made

    @property
    def address(self) -> int:
        return int(self._compiled.address)

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"


def kernel(arguments: type) -> Callable[[Callable[[Any, int, int], None]], Kernel]:
    """Declare a kernel that takes such arguments."""
    return lambda function: Kernel(arguments, function)


@inlined
def record(arguments: Any) -> Any:
    """The arguments of a kernel."""
    return carray(arguments, 1)[0]


@intrinsic
def _pointer(typingctx: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.FloatType().as_pointer())

    return _pointer_to(types.float32)(types.int64), build


@intrinsic
def _long_pointer(typingctx: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(64).as_pointer())

    return _pointer_to(types.int64)(types.int64), build


@intrinsic
def _byte_pointer(typingctx: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return _pointer_to(types.uint8)(types.int64), build


@inlined
def octets(address: int, count: int) -> Any:
    """An array over memory that holds u8."""
    return carray(_byte_pointer(address), count)


@inlined
def floats(address: int, count: int) -> Any:
    """An array over memory that holds f32."""
    return carray(_pointer(address), count)


@inlined
def longs(address: int, count: int) -> Any:
    """An array over memory that holds i64."""
    return carray(_long_pointer(address), count)


@intrinsic
def power_of_two(typingctx: Any, exponent: Any) -> Any:
    """2**exponent for an f32 that holds an integer from -127 to 127: 1.5 * 2**23 puts it into the lowest bits."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        shifted = builder.fadd(args[0], ir.Constant(ir.FloatType(), 12582912.0 + 127))
        word = ir.IntType(32)
        return builder.bitcast(builder.shl(builder.bitcast(shifted, word), ir.Constant(word, 23)), ir.FloatType())

    return types.float32(types.float32), build


@intrinsic
def add_atomically(typingctx: Any, address: Any, value: Any) -> Any:
    """Add to an int64 in memory; returns what was there."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", builder.inttoptr(args[0], ir.IntType(64).as_pointer()), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), build


@intrinsic
def load_atomically(typingctx: Any, address: Any) -> Any:
    """An int64 in memory that other threads write to."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), "acquire", 8)

    return types.int64(types.int64), build


@intrinsic
def store_atomically(typingctx: Any, address: Any, value: Any) -> Any:
    """Write an int64 that other threads read."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        builder.store_atomic(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), build


@intrinsic
def offer_processor(typingctx: Any, function: Any) -> Any:
    """Call ``int function(void)``, by its address: ``sched_yield``."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        type = ir.FunctionType(ir.IntType(32), [])
        builder.call(builder.inttoptr(args[0], type.as_pointer()), [])
        return context.get_dummy_value()

    return types.void(types.int64), build


@intrinsic
def call_kernel(typingctx: Any, function: Any, arguments: Any, task: Any, workspace: Any) -> Any:
    """Call a kernel by its address."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        long = ir.IntType(64)
        type = ir.FunctionType(ir.VoidType(), [long.as_pointer(), long, long])
        kernel = builder.inttoptr(args[0], type.as_pointer())
        builder.call(kernel, [builder.inttoptr(args[1], long.as_pointer()), args[2], args[3]])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64), build
