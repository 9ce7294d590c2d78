"""Passes and kernels of users: what they declare, and where they take part in a compilation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from irrun.diagnostics import near_match
from irrun.graph import Graph, Node
from irrun.ops import Op
from irrun.ops.blame import blamed, definition
from irrun.ops.operation import OpClass
from irrun.ops.registry import resolve
from irrun.optimize.rewrite import Rewriter
from irrun.optimize.schedule import PASSES

_PARTS: Final = ("Before:", "After:", "Proof:")
_ASKED: Final = frozenset(("facts",))


class Pass:
    """A pass of a user, which rewrites graphs as those of irrun do.

    The docstring shows the graph ``Before:`` and ``After:``, and says after ``Proof:`` why the outputs stay the same.
    ``name`` is in kebab case, ``before`` the pass of irrun before which it runs, by default all.
    """

    adds: ClassVar[str] = "passes"
    name: ClassVar[str]
    before: ClassVar[str] = ""

    def run(self, graph: Rewriter) -> None:
        """Rewrite a graph by patches, each of which must keep types and shapes."""
        raise NotImplementedError(f"{type(self).__name__} has no run")

    @classmethod
    def require_usable(cls) -> None:
        """Raise ValueError where the declaration cannot be used."""
        where, known = f"the pass {cls.__name__}", [item.name for item in PASSES]
        if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", str(getattr(cls, "name", ""))) is None or cls.name in known:
            raise ValueError(
                f'{where} has the name "{getattr(cls, "name", "")}", expected one of its own in kebab case'
            )
        if cls.before and cls.before not in known:
            raise ValueError(f'{where} runs before "{cls.before}"{near_match(cls.before, known)}')
        missing = [part for part in _PARTS if part not in (cls.__doc__ or "")]
        if missing:
            raise ValueError(f"{where} has no {missing[0]} in its docstring")


class Kernel:
    """The computation of an operation of an opset in the place of irrun's.

    ``operation`` and ``opset`` name it, the newest version up to that opset. ``run`` gets the operation with its
    attributes, and the arrays of the inputs, as ``run`` of the operation.
    """

    adds: ClassVar[str] = "kernels"
    operation: ClassVar[str]
    opset: ClassVar[int]
    run: Callable[..., Any]

    @classmethod
    def replaced(cls) -> OpClass:
        """Return the operation that is computed; OpError where there is none."""
        return resolve(cls.operation, f"opset{getattr(cls, 'opset', None)}")

    @classmethod
    def require_usable(cls) -> None:
        """Raise ValueError where the declaration cannot be used."""
        where = f"the kernel {cls.__name__}"
        if not callable(getattr(cls, "run", None)):
            raise ValueError(f"{where} has no method run")
        spec = cls.replaced().spec
        if not spec.inputs or spec.bodies or not _ASKED.issuperset(spec.run_asks) or cls.operation == "Result":
            raise ValueError(f"{where} is one of {cls.operation}, whose values irrun alone keeps")


def run_before(name: str, passes: Iterable[type[Pass]], graph: Rewriter) -> None:
    """Run the passes of users that come before one of irrun; ExtensionFault where one fails."""
    for item in passes:
        if (item.before or PASSES[0].name) == name:
            with blamed(f"the pass {item.name}", definition(item.run, item)):
                item().run(graph)
                graph.trim()


def with_kernels(graph: Graph, kernels: Iterable[type[Kernel]]) -> Graph:
    """Return a graph whose operations are computed by the kernels of users; the last one of an operation counts."""
    chosen = {item.replaced(): item for item in kernels}
    found = [(node, node.op) for node in graph.ordered() if node.op is not None and type(node.op) in chosen]
    return graph.with_nodes([_with_kernel(node, op, chosen[type(op)]) for node, op in found]) if found else graph


def _with_kernel(node: Node, op: Op, kernel: type[Kernel]) -> Node:
    made = object.__new__(_computed(type(op), kernel))
    made.__dict__.update(vars(op))
    made.original = op
    return node._replace(type=f"{kernel.__name__}::{node.type}", op=made)


class _Computed(Op):
    """An operation that a kernel of a user computes; no pass and no lowering knows it."""

    kernel: ClassVar[type[Kernel]]
    original: Op

    def infer(self, *inputs: Any, **asked: Any) -> Any:
        return self.original.infer(*inputs, **asked)

    def run(self, *inputs: Any) -> Any:
        return self.kernel().run(self.original, *inputs)


_made: Final[dict[tuple[Any, Any], type[_Computed]]] = {}


def _computed(cls: OpClass, kernel: type[Kernel]) -> type[_Computed]:
    """Return the declaration of an operation that a kernel computes; one that is not irrun's."""
    if (cls, kernel) not in _made:
        names = ("type", "opset", "page", "inputs", "outputs", "foldable", "legacy")
        facts = {name: getattr(cls, name) for name in names}
        facts |= {"kernel": kernel, "hooks": {"run": kernel.run}, "spec": cls.spec._replace(run_asks=())}
        facts |= {"__module__": kernel.__module__, "__doc__": cls.__doc__}
        _made[cls, kernel] = type(kernel.__name__, (_Computed,), facts)
    return _made[cls, kernel]
