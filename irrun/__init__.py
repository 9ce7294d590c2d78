"""irrun: an interpreter and linter for OpenVINO IR files.

>>> import irrun
>>> compiled = irrun.compile_model("model.xml")
>>> outputs = compiled({"image": image})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irrun.diagnostics import Diagnostic, IRError
    from irrun.diagnostics.internal import InternalError
    from irrun.linter import lint
    from irrun.model import (
        CompiledModel,
        InferRequest,
        InputError,
        Model,
        Outputs,
        Port,
        compile_model,
        read_model,
    )

__version__ = "0.1.0"

_PLACES = {
    "CompiledModel": "irrun.model",
    "Diagnostic": "irrun.diagnostics",
    "IRError": "irrun.diagnostics",
    "InferRequest": "irrun.model",
    "InputError": "irrun.model",
    "InternalError": "irrun.diagnostics.internal",
    "Model": "irrun.model",
    "Outputs": "irrun.model",
    "Port": "irrun.model",
    "compile_model": "irrun.model",
    "lint": "irrun.linter",
    "read_model": "irrun.model",
}

__all__ = [
    "CompiledModel",
    "Diagnostic",
    "IRError",
    "InferRequest",
    "InputError",
    "InternalError",
    "Model",
    "Outputs",
    "Port",
    "__version__",
    "compile_model",
    "lint",
    "read_model",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that starting costs nothing."""
    if name not in _PLACES:
        raise AttributeError(f"module 'irrun' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PLACES[name]), name)
