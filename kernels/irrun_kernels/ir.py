"""LLVM's intermediate code: the module ``llvmlite.ir``, which is imported when code is emitted and not before."""

from typing import Any


def __getattr__(name: str) -> Any:
    from llvmlite import ir

    return getattr(ir, name)
