"""Chains of elementwise functions, in place where an operand is not needed again.

Large tensors are processed in blocks that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.convolution_blocks import parts
from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import Array, scratch

BLOCK: Final = 1 << 15
"""The number of elements in a block."""


class FunctionCall(NamedTuple):
    """A call ``function(*arguments, out=out)`` whose operands are numbers: first the inputs, then the workspaces.

    Workspace 0, the first after the inputs, holds the result in the end.
    """

    function: Callable[..., Any]
    arguments: tuple[int, ...]
    out: int


class FunctionChain(NamedTuple):
    """A sequence of calls, with the number of inputs and of workspaces."""

    calls: tuple[FunctionCall, ...]
    inputs: int
    workspaces: int

    def __call__(self, inputs: Sequence[Array], out: Array) -> Array:
        """Compute the result in ``out`` and return it; inputs broadcast to its shape."""
        if out.size <= BLOCK:
            self._run([*inputs, out, *(np.empty_like(out) for _ in range(self.workspaces - 1))])
        else:
            self._in_blocks(inputs, out)
        return out

    def _run(self, values: Sequence[Array]) -> None:
        for function, arguments, out in self.calls:
            if len(arguments) == 2:
                function(values[arguments[0]], values[arguments[1]], out=values[out])
            else:
                function(*map(values.__getitem__, arguments), out=values[out])

    def _in_blocks(self, inputs: Sequence[Array], out: Array) -> None:
        """Process ``out`` in blocks, with axes in memory order."""
        order = axes_in_memory(out)
        target = out.transpose(order)
        sources = [np.broadcast_to(x, out.shape).transpose(order) for x in inputs]
        for place in parts(target.shape, BLOCK):
            part = target[place]
            workspaces = [scratch(f"chain {index}", part.shape, out.dtype) for index in range(1, self.workspaces)]
            self._run([*(x[place] for x in sources), part, *workspaces])
