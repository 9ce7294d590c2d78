"""Compile kernels with Numba to LLVM's intermediate code, and that to objects. No other module imports Numba.

Nothing that Numba compiles runs here, since levels may be of another machine. The vectors are those of the level, since
kernels are written in terms of vectors.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from inspect import Parameter, Signature
from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numba.extending
import numpy as np
from numba.core import compiler, registry, sigutils, types
from numba.core.cgutils import unpack_tuple
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.runtime.nrt import rtsys

from building.checks import without_addresses
from building.systems import System
from building.target import flags
from irrun_kernels.levels import built_for
from irrun_kernels.native import CompiledFunction, compilers, resolve
from irrun_kernels.vectors import Vectors

compilers.append(sys.modules[__name__])

carray: Final = numba.carray

_pointer_to: Any = types.CPointer  # type: ignore[attr-defined,unused-ignore]
_tuple_of: Any = types.UniTuple  # type: ignore[attr-defined,unused-ignore]

_OF_PYTHON: Final = ("NRT_", "Py", "_Py", "_Z", "numba_")
"""Beginnings of the names of functions that are there only while Numba is imported."""

_KINDS: Final = {"void": "void", "int64": "i64"}
"""The result and argument types of a function that C calls, and their names in LLVM."""


def code_of(declared: CompiledFunction) -> str:
    """Return LLVM code that defines the symbol of a function, with the C calling convention."""
    arguments, result = _signature(declared.kinds)
    with _compiling():
        cpu = registry.cpu_target
        resolve(declared.function)
        made: Any = compiler.compile_extra(  # type: ignore[no-untyped-call,unused-ignore]
            cpu.typing_context, cpu.target_context, declared.function, arguments, result, _flags(), {}
        )
        made.library.finalize()
        text = re.sub(r"^target (datalayout|triple) = .*$", "", made.library.get_llvm_str(), flags=re.MULTILINE)
        # Numba counts references, which kernels do not have, by an instruction of this processor.
        text = re.sub(r"= .*call i8 @llvm.x86.atomic.*", "= add i8 0, 0", text)
        module = llvm.parse_assembly(without_addresses(text))
        module.link_in(llvm.parse_assembly(_wrapper(declared.symbol, made.fndesc.llvm_func_name, arguments, result)))
        # Only the wrapper stays visible: what converts Python objects and raises errors is dead code.
        for value in (*module.functions, *module.global_variables):
            if value.name != declared.symbol and not value.is_declaration:
                value.linkage = "internal"
        passes = llvm.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        passes.add_strip_dead_prototype_pass()
        machine = cpu.target_context.codegen()._tm
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
        foreign = sorted(x.name for x in module.functions if x.is_declaration and x.name.startswith(_OF_PYTHON))
        if foreign:
            raise RuntimeError(f"{declared.symbol} calls {', '.join(foreign)}, which need Python")
        return str(module)


def object_of(code: str, system: System) -> bytes:
    """Return LLVM code as an object file for a system."""
    return bytes(target_machine(system).emit_object(_parsed(code, system)))


def assembly_of(code: str, system: System) -> str:
    """Return LLVM code as assembly text."""
    return str(target_machine(system).emit_assembly(_parsed(code, system)))


def _parsed(code: str, system: System) -> Any:
    given = f'target datalayout = "{target_machine(system).target_data}"\ntarget triple = "{system.triple}"\n'
    return llvm.parse_assembly(given + code)


@cache
def target_machine(system: System) -> Any:
    """Code for the processors of the level, on a system."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    (level,) = built_for
    target = llvm.Target.from_triple(system.triple)
    return target.create_target_machine(cpu=level.model, features=flags(level), opt=3, reloc="pic", codemodel="default")


def dispatcher(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """A function that others call once they are compiled."""
    resolve(function)
    return numba.njit(**options)(function)


def intrinsic(function: Callable[..., Any], result: str, arguments: Sequence[str]) -> Any:
    """A function whose LLVM code is written by hand."""
    signature = sigutils._parse_signature_string(f"{result}({', '.join(arguments)})")

    def generate(context: Any, builder: Any, called: Any, values: Any) -> Any:
        pairs = zip(called.args, values, strict=True)
        given = (unpack_tuple(builder, value) if isinstance(kind, _tuple_of) else value for kind, value in pairs)
        value = function(Vectors(builder), *given)
        return context.get_dummy_value() if value is None else value

    def define(typingctx: Any, *_: Any) -> Any:  # noqa: ARG001
        return signature, generate

    # Numba counts the arguments by the signature in Python.
    names = [Parameter(f"a{number}", Parameter.POSITIONAL_ONLY) for number in range(1 + len(arguments))]
    define.__signature__ = Signature(names)  # type: ignore[attr-defined]
    return numba.extending.intrinsic(define)


def _signature(kinds: Any) -> Any:
    """The arguments and the result of what takes a record, or of what has a signature in Numba's terms."""
    if isinstance(kinds, np.dtype):
        kinds = types.void(_pointer_to(numba.from_dtype(kinds)), types.int64, types.int64)
    return sigutils.normalize_signature(kinds)


def _flags() -> Any:
    flags: Any = compiler.Flags()  # type: ignore[no-untyped-call,unused-ignore]
    flags.nrt = flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.error_model = "numpy"
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
        f'define dllexport {returned} @"{symbol}"({", ".join(given)}) {{',
        "  %result = alloca i64",
        "  %error = alloca ptr",
        f'  %status = call i32 @"{inner}"(ptr %result, ptr %error, {", ".join(given)})',
        *(["  ret void"] if returned == "void" else ["  %value = load i64, ptr %result", "  ret i64 %value"]),
        "}",
    ]
    return "\n".join(lines)


@contextmanager
def _compiling() -> Iterator[None]:
    with global_compiler_lock:
        _prepare()
        yield


@cache
def _prepare() -> None:
    """Keep Numba from emitting and running machine code, once its own functions have been."""
    rtsys.initialize(registry.cpu_target.target_context)
    JITCodeLibrary._finalize_specific = JITCPUCodegen._add_module = lambda *_: None
    CPUContext.get_executable = lambda *_: [].append
