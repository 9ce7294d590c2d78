"""Operations as calls of compiled kernels: one function for each, found by the class of the operation.

The modules of this folder are imported here; no list names them.
"""

import importlib
import pkgutil

from irrun.runtime.lowering.builder import LOWERINGS

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["LOWERINGS"]
