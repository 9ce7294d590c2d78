"""Compile kernels to object code with Numba. No other module imports it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import FunctionType
from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numba.extending
import numpy as np
from numba.core import compiler, errors, registry, sigutils, types
from numba.core.cgutils import unpack_tuple
from numba.core.compiler_lock import global_compiler_lock

from irrun.kernels.compiled.host import CPU, FEATURES, TRIPLE
from irrun.kernels.compiled.vectors import Vectors

_pointer_to: Any = types.CPointer  # type: ignore[attr-defined,unused-ignore]
_tuple_of: Any = types.UniTuple  # type: ignore[attr-defined,unused-ignore]
_Fixer: Any = errors.WarningsFixer  # type: ignore[attr-defined,unused-ignore]

_OF_PYTHON: Final = ("NRT_", "Py", "_Py", "_Z", "numba_")
"""Beginnings of the names of functions that are there only while Numba is imported."""

_KINDS: Final = {"void": "void", "int64": "i64"}
"""The result and argument types of a function that C calls, and their names in LLVM."""


def object_code(
    function: Callable[..., Any], forms: Mapping[str, Any], signature: Any, symbol: str, options: Mapping[str, Any]
) -> bytes:
    """Return a relocatable object that defines ``symbol``, a function with the C calling convention.

    ``forms`` are the values of the deferred names that the function refers to.
    """
    arguments, result = sigutils.normalize_signature(signature)
    with _compiling():
        cpu = registry.cpu_target
        flags = _flags(options)
        made: Any = compiler.compile_extra(  # type: ignore[no-untyped-call,unused-ignore]
            cpu.typing_context, cpu.target_context, bound(function, forms), arguments, result, flags, {}
        )
        made.library.finalize()
        module = llvm.parse_assembly(made.library.get_llvm_str())
        module.link_in(llvm.parse_assembly(_wrapper(symbol, made.fndesc.llvm_func_name, arguments, result)))
        # Only the wrapper stays visible: what converts Python objects and raises errors is dead code.
        for value in (*module.functions, *module.global_variables):
            if value.name != symbol and not value.is_declaration:
                value.linkage = "internal"
        machine = target_machine()
        passes = llvm.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        passes.add_strip_dead_prototype_pass()
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
        foreign = sorted(x.name for x in module.functions if x.is_declaration and x.name.startswith(_OF_PYTHON))
        if foreign:
            raise RuntimeError(f"{symbol} calls {', '.join(foreign)}, which need Python")
        return bytes(machine.emit_object(module))


def target_machine() -> Any:
    """Code for the processor that kernels are compiled for."""
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=CPU, features=FEATURES, opt=3, codemodel="jitdefault", jit=True)


def dispatcher(function: Callable[..., Any], forms: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """A function that others call once they are compiled."""
    return numba.njit(**options)(bound(function, forms))


def intrinsic(function: Callable[..., Any], result: str, arguments: Sequence[str]) -> Any:
    """A function whose LLVM code is written by hand."""
    signature = sigutils._parse_signature_string(f"{result}({', '.join(arguments)})")

    def generate(context: Any, builder: Any, called: Any, values: Any) -> Any:
        pairs = zip(called.args, values, strict=True)
        given = (unpack_tuple(builder, value) if isinstance(kind, _tuple_of) else value for kind, value in pairs)
        value = function(Vectors(builder), *given)
        return context.get_dummy_value() if value is None else value

    def define(typingctx: Any, *_: Any) -> Any:
        return signature, generate

    # Numba names and counts the arguments by the signature in Python.
    define.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return numba.extending.intrinsic(define)


def bound(function: Callable[..., Any], forms: Mapping[str, Any]) -> Any:
    """A copy of a function whose globals hold what the compiler knows in place of what is deferred."""
    assert isinstance(function, FunctionType)
    names = {**function.__globals__, **forms}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def kernel_signature(record: np.dtype[Any]) -> Any:
    """The signature of a kernel whose arguments are such a record."""
    return types.void(_pointer_to(numba.from_dtype(record)), types.int64, types.int64)


def _flags(options: Mapping[str, Any]) -> Any:
    flags = compiler.Flags()  # type: ignore[no-untyped-call,unused-ignore]
    flags.nrt = flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    for name, value in options.items():
        setattr(flags, name, value)
    return flags


def _wrapper(symbol: str, inner: str, arguments: Sequence[Any], result: Any) -> str:
    """Call a function as Numba does: with places for its result and for an error, which no kernel raises.

    Nor does a kernel own memory that it would have to free.
    """
    kinds = ["ptr" if isinstance(kind, _pointer_to) else _KINDS[str(kind)] for kind in arguments]
    given = [f"{kind} %a{number}" for number, kind in enumerate(kinds)]
    returned = _KINDS[str(result) if result != types.void else "void"]
    lines = [
        "define void @NRT_MemInfo_call_dtor(ptr %info) {",
        "  ret void",
        "}",
        f'declare i32 @"{inner}"(ptr, ptr, {", ".join(kinds)})',
        f'define {returned} @"{symbol}"({", ".join(given)}) {{',
        "  %result = alloca i64",
        "  %error = alloca ptr",
        f'  %status = call i32 @"{inner}"(ptr %result, ptr %error, {", ".join(given)})',
        *(["  ret void"] if returned == "void" else ["  %value = load i64, ptr %result", "  ret i64 %value"]),
        "}",
    ]
    return "\n".join(lines)


@contextmanager
def _compiling() -> Iterator[None]:
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
