"""One operation, lowered and run by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

from irrun.ops import Op
from irrun.runtime.program import Instance, lower_step
from irrun.tensor import Array


def run(op: Op, *arrays: Array) -> Array | None:
    """The output of the compiled kernel of an operation; None where it has none for these inputs."""
    step: Any = SimpleNamespace(node=SimpleNamespace(op=op), facts=())
    program = lower_step(step, arrays, WeakValueDictionary())
    if program is None:
        return None
    program.compile()
    (result,) = Instance(program, 1).run(arrays, 1)
    return result
