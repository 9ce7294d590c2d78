"""Declarations of kernels, and the few functions that they need and Numba does not have: memory by address, counters.

The arguments of a kernel are a `NamedTuple` of addresses, integers, floats, ``Annotated[tuple[int, ...], LENGTH]`` and
other such tuples, which it sees as a record with arrays. It is called as ``kernel(arguments, task, workspace)``: with
the address of that record, the number of the task that is to be done, and the address of memory that the worker may use
meanwhile.

A build compiles what is declared here, and puts it into libraries; only a build imports Numba and LLVM.
"""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from types import CodeType, FunctionType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Final,
    NamedTuple,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from irrun_kernels import ir
from irrun_kernels.host import LEVEL
from irrun_kernels.library import address_of
from irrun_kernels.vectors import Vectors

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Parameters = ParamSpec("_Parameters")

_OPTIONS: Final = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Address(NamedTuple):
    """The start of an array: the number of a buffer, and bytes from its start. Kernels see an integer, 0 for none."""

    buffer: int = -1
    offset: Any = 0

    def beyond(self, bytes: Any) -> Address:
        """Return the address of what lies behind some bytes."""
        return self._replace(offset=self.offset + bytes)


NOWHERE: Final = Address()
"""The address of an array that is absent."""

_Field = TypeVar("_Field")
Read = Annotated[_Field, "read"]
Write = Annotated[_Field, "write"]
Update = Annotated[_Field, "update"]
"""The use that a kernel makes of the memory to which a field of its arguments points, or the fields of such a field.

What is written does not depend on what was there; what is updated does, or is written at places that values choose.
"""


compilers: list[Any] = []
"""The module of a build that makes what is deferred, while kernels are compiled."""


class Deferred:
    """Stands for something of the compiler, in the globals of functions that are compiled."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def form(self) -> Any:
        return self._make()


def _called(**options: Any) -> Callable[[_Function], _Function]:
    """Declare functions that kernels call, with options of Numba."""
    given = {**_OPTIONS, **options}
    return lambda function: Deferred(lambda: compilers[0].dispatcher(function, given))  # type: ignore[return-value]


inlined: Final = _called(fastmath={"contract"})
"""A function that kernels call. A product and a sum become one instruction."""

strict: Final = _called(fastmath=False)
"""A function that kernels call. Each product and each sum is rounded, as NumPy does it."""

scalar: Final = _called(fastmath={"contract"}, forceinline=True)
"""A function of one element, which becomes part of the loop that it is called in."""

summing: Final = _called(fastmath={"reassoc", "contract", "nsz"})
"""A function that kernels call, and that may add up in any order."""


def intrinsic(
    result: str, *arguments: str
) -> Callable[[Callable[Concatenate[Vectors, _Parameters], Any]], Callable[_Parameters, Any]]:
    """A function that emits LLVM code: it is called with a `Vectors` and the values of its arguments.

    ``result`` and ``arguments`` are types of Numba; see `several` for tuples.
    """

    def declared(function: Callable[Concatenate[Vectors, _Parameters], Any]) -> Callable[_Parameters, Any]:
        return Deferred(lambda: compilers[0].intrinsic(function, result, arguments))  # type: ignore[return-value]

    return declared


def of_llvm(name: str, kind: str, count: int = 1) -> Callable[..., Any]:
    """A function of LLVM of some floats, f32 or f64."""
    type = f"float{kind[1:]}"
    return intrinsic(type, *[type] * count)(lambda v, *x: v.call(f"llvm.{name}.{kind}", x[0].type, *x))


def several(*counts: int) -> list[str]:
    """The types of tuples of integers, which an intrinsic gets as lists of values."""
    return [f"UniTuple(int64, {count})" for count in counts]


def resolve(function: Callable[..., Any]) -> None:
    """Let the deferred names that a function refers to stand for what the compiler makes of them."""
    assert isinstance(function, FunctionType)
    names = function.__globals__
    for name in _names(function.__code__):
        if isinstance(names.get(name), Deferred):
            names[name] = names[name].form
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, Deferred):
            cell.cell_contents = cell.cell_contents.form


def _names(code: CodeType) -> set[str]:
    nested = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, nested))


class CompiledFunction:
    """A function that a build compiles, for a record of arguments, or for what a signature says in Numba's terms.

    ``fields`` are the numbers of the record, or the signature.
    """

    def __init__(self, function: Callable[..., Any], kinds: Any, fields: Any) -> None:
        self.function = function
        self.kinds = kinds
        self.name = function.__name__
        self._fields = fields
        DECLARED.append(self)

    @cached_property
    def symbol(self) -> str:
        """Its name in libraries. It depends on the arguments, so that libraries of other sources do not have it."""
        return f"irrun_{self.name}_{zlib.crc32(str(self._fields).encode()):08x}"

    @cached_property
    def address(self) -> int:
        """The address of its code."""
        return address_of(LEVEL.name, self.symbol)


DECLARED: Final[list[CompiledFunction]] = []
"""The functions that have been declared so far."""


class KernelFunction(CompiledFunction):
    """A function that does a task of a call."""

    def __init__(self, arguments: type, function: Callable[[Any, int, int], None]) -> None:
        fields = [(name, type) for name, type, _ in _fields(arguments)]
        super().__init__(function, _record_type(arguments), fields)
        self.record: np.dtype[Any] = np.dtype(fields)
        """The type of its arguments without nesting."""
        self.accesses = [access for _, _, access in _fields(arguments)]
        """For each number of ``record``: whether memory at this address is read, written or updated, or nothing."""
        if "undeclared" in self.accesses:
            raise TypeError(f"{arguments.__name__} has an address that is not declared as Read, Write or Update")

    def flat(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Return the arguments without nesting, as they are in ``record``; TypeError for an address out of place."""
        values = list(_numbers(arguments))
        for name, value, access in zip(self.record.names or (), values, self.accesses, strict=True):
            if isinstance(value, Address) != bool(access):
                raise TypeError(
                    f"argument {name} of {self.name} is {value!r}, and is declared as {access or 'a number'}"
                )
        return values

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"


def _numbers(arguments: tuple[Any, ...]) -> Iterator[Any]:
    for value in arguments:
        if isinstance(value, tuple) and not isinstance(value, Address):
            yield from _numbers(value)
        else:
            yield value


@cache
def _fields(arguments: Any, outer: str = "") -> list[tuple[str, str, str]]:
    """The name, type and access of each number of arguments: what a field declares holds for all addresses in it."""
    found = []
    for name, (kind, note) in _hints(arguments).items():
        access = note if isinstance(note, str) else outer
        if kind is Address:
            found.append((name, "<i8", access or "undeclared"))
        elif isinstance(kind, type) and issubclass(kind, tuple):
            found += [(f"{name}_{inner}", type, own) for inner, type, own in _fields(kind, access)]
        elif isinstance(note, int):
            found += [(f"{name}_{number}", "<i8", "") for number in range(note)]
        else:
            found.append((name, "<f8" if kind is float else "<i8", ""))
    return found


@cache
def _record_type(arguments: Any, note: Any = None) -> np.dtype[Any]:
    """The type of arguments in memory."""
    if isinstance(note, int):
        return np.dtype((np.int64, note))
    if isinstance(arguments, type) and issubclass(arguments, tuple) and arguments is not Address:
        return np.dtype([(name, _record_type(*hint)) for name, hint in _hints(arguments).items()])
    return np.dtype(np.float64 if arguments is float else np.int64)


@cache
def _hints(arguments: type) -> dict[str, tuple[Any, Any]]:
    """The types of fields, and what they are annotated with: an access, the length of an array, or nothing."""
    hints = get_type_hints(arguments, include_extras=True)
    return {name: get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, None) for name, hint in hints.items()}


def kernel(arguments: type) -> Callable[[Callable[[Any, int, int], None]], KernelFunction]:
    """Declare a kernel that takes such arguments."""
    return lambda function: KernelFunction(arguments, function)


class Entry(CompiledFunction):
    """A function of integers that Python calls, without the interpreter's lock."""

    def __init__(self, function: Callable[..., Any]) -> None:
        result = "void" if get_type_hints(function)["return"] is type(None) else "int64"
        count = function.__code__.co_argcount
        signature = f"{result}({', '.join(['int64'] * count)})"
        super().__init__(function, signature, signature)
        self._prototype = ctypes.CFUNCTYPE(None if result == "void" else ctypes.c_int64, *[ctypes.c_int64] * count)

    @cached_property
    def _call(self) -> Callable[..., Any]:
        return self._prototype(self.address)

    def __call__(self, *arguments: int) -> Any:
        return self._call(*arguments)


def entry(function: _Function) -> _Function:
    """Declare a function of integers that Python calls."""
    return Entry(function)  # type: ignore[return-value]


carray: Any = Deferred(lambda: compilers[0].carray)


@inlined
def record(arguments: Any) -> Any:
    """The arguments of a kernel."""
    return carray(arguments, 1)[0]


def _pointer_to(kind: str) -> Callable[[int], Any]:
    """A function that returns a pointer to elements of a type at an address."""

    def point(v: Vectors, address: Any) -> Any:
        element = {"f": v.float, "d": ir.DoubleType()}.get(kind) or ir.IntType(8 * np.dtype(kind).itemsize)
        return v.pointer(address, 0, element)

    return intrinsic(f"CPointer({'uint8' if kind == '?' else np.dtype(kind).name})", "int64")(point)


POINTERS: Final[Mapping[str, Callable[[int], Any]]] = {kind: _pointer_to(kind) for kind in "?bhiqBHIQfd"}
"""Pointers to elements at an address, by the letters that NumPy has for types; a boolean is a byte."""

FAR: Final = 1 << 40
"""The elements of an array of which only the address is known."""


def _array_of(kind: str) -> Callable[..., Any]:
    """A function that returns an array over memory at an address, of some elements."""
    pointer = POINTERS[kind]

    @inlined
    def array(address: int, count: int = FAR) -> Any:
        return carray(pointer(address), count)

    return array


octets, longs, floats = map(_array_of, "Bqf")
"""Arrays over memory that holds u8, i64, f32: ``octets(address, count)``."""


@intrinsic("float32", "float32")
def power_of_two(v: Vectors, exponent: Any) -> Any:
    """2**exponent for an f32 that holds an integer from -127 to 127: 1.5 * 2**23 puts it into the lowest bits."""
    shifted = v.builder.fadd(exponent, ir.Constant(v.float, 12582912.0 + 127))
    word = ir.IntType(32)
    return v.builder.bitcast(v.builder.shl(v.builder.bitcast(shifted, word), ir.Constant(word, 23)), v.float)


@intrinsic("int64", "int64", "int64")
def add_atomically(v: Vectors, address: Any, value: Any) -> Any:
    """Add to an int64 in memory; returns what was there."""
    return v.builder.atomic_rmw("add", v.pointer(address, 0, v.long), value, "seq_cst")


@intrinsic("int64", "int64")
def load_atomically(v: Vectors, address: Any) -> Any:
    """An int64 in memory that other threads write to."""
    return v.builder.load_atomic(v.pointer(address, 0, v.long), "acquire", 8)


@intrinsic("void", "int64", "int64")
def store_atomically(v: Vectors, address: Any, value: Any) -> None:
    """Write an int64 that other threads read."""
    v.builder.store_atomic(value, v.pointer(address, 0, v.long), "seq_cst", 8)


@intrinsic("void", "int64")
def yield_cpu(v: Vectors, function: Any) -> None:
    """Call ``int function(void)``, by its address: ``sched_yield``."""
    v.builder.call(v.pointer(function, 0, ir.FunctionType(ir.IntType(32), [])), [])


@intrinsic("void", "int64", "int64", "int64", "int64")
def call_kernel(v: Vectors, function: Any, arguments: Any, task: Any, workspace: Any) -> None:
    """Call a kernel by its address."""
    type = ir.FunctionType(ir.VoidType(), [v.long.as_pointer(), v.long, v.long])
    v.builder.call(v.pointer(function, 0, type), [v.pointer(arguments, 0, v.long), task, workspace])
