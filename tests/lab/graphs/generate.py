"""A graph from a seed."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Final

from irrun.ops import Op, OpError
from irrun.ops.registry import declarations
from tests.lab.graphs import bodies, motifs
from tests.lab.graphs.borrowed import borrow, cases
from tests.lab.graphs.call import Call, Recipe
from tests.lab.graphs.evaluate import Evaluator
from tests.lab.graphs.graph import Graph, Layer, Node, pruned
from tests.lab.graphs.grow import RUN_TIME, Grower, Rejected, Tensor
from tests.lab.graphs.recipes import RECIPES
from tests.lab.graphs.states import States
from tests.lab.graphs.theme import draw_theme
from tests.ops.random_draws import Random

_ATTEMPTS: Final = 8
"""The number of attempts for each wanted layer."""

STEPS: Final = 2
"""Inferences that a graph must stand."""


@cache
def operations() -> dict[str, type[Op]]:
    """Every operation version that is used by itself, by name. Those with bodies or variables are made elsewhere."""
    return {
        f"{cls.type}-{cls.opset}": cls
        for cls in declarations()
        if not cls.bodies
        and not {"state", "weights"} & {*cls.spec.run_asks, *cls.spec.infer_asks}
        and cls.type not in ("Parameter", "Result", "Assign")
        and (recipe(cls) is not None or (cls.type, cls.opset) in cases())
    }


def recipe(cls: type[Op]) -> Recipe | None:
    """The recipe of an operation version, or of all versions."""
    return RECIPES.get(f"{cls.type}-{cls.opset}", RECIPES.get(cls.type))


def generate(seed: int, rejected: Counter[str] | None = None) -> Graph:
    """The graph of a seed, always the same. ``rejected`` counts why layers were undone."""
    draw = Random(seed)
    theme = draw_theme(draw, sorted(operations()))
    grower, states = Grower(draw, theme), States()
    missing = theme.layers
    for _ in range(_ATTEMPTS * theme.layers):
        try:
            with grower.attempt():
                if theme.states and draw.chance(0.1 if states.is_empty else 0.01):
                    states.read(grower)
                else:
                    step(grower)
            missing -= 1
        except Rejected as error:
            if rejected is not None:
                rejected[str(error)] += 1
        if missing <= 0:
            break
    return _with_states(grower, states)


def _with_states(grower: Grower, states: States) -> Graph:
    """The graph with its variables written; as they were read where the next inferences would fail otherwise."""
    try:
        with grower.attempt():
            states.assign(grower)
            return _stands(pruned(grower.graph(_results(grower))))
    except OpError:
        states.keep(grower)
        return pruned(grower.graph(_results(grower)))


def _stands(graph: Graph) -> Graph:
    """The graph; OpError where one of some inferences fails."""
    try:
        Evaluator(graph).runs(STEPS)
    except RUN_TIME as error:
        raise OpError(str(error)) from None
    return graph


def step(grower: Grower) -> None:
    """Add a layer, or several that belong together. Rejected if no valid layer is found."""
    draw, theme = grower.draw, grower.theme
    if draw.chance(theme.motifs):
        draw.pick(motifs.MOTIFS)(grower)
    elif draw.chance(theme.bodies):
        draw.pick(bodies.KINDS)(grower, step)
    else:
        cls = operations()[draw.pick(theme.operations)]
        found = recipe(cls)
        if found is None:
            borrow(grower, cls)
        else:
            Call(grower, cls, found).make()


def _results(grower: Grower) -> list[Tensor]:
    """All tensors that nothing reads, and some of the others, in any order."""
    draw = grower.draw
    made = [tensor for tensor in grower.tensors if _is_result(grower.nodes[tensor.source.node])]
    found = [tensor for tensor in made if tensor.source not in grower.used or draw.chance(0.05)]
    return [found[int(index)] for index in draw.source.permutation(len(found))] or (made or grower.tensors)[-1:]


def _is_result(node: Node) -> bool:
    return isinstance(node, Layer) and node.op.type != "Assign"
