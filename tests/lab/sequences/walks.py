"""Walks through the shapes of random models, and the outcomes of fresh models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

import irrun.model
from irrun.diagnostics import IRError
from irrun.model import Compiled, InputError, Session
from irrun.ops import OpError
from irrun.tensor import Array, Dim, Fact, Shape
from tests.engines import TIERS
from tests.lab.graphs.compare import Tolerance
from tests.lab.graphs.engines import external
from tests.lab.graphs.evaluate import infer_graph
from tests.lab.graphs.generate import generate
from tests.lab.graphs.graph import Graph, Input
from tests.lab.graphs.write import write
from tests.ops.random_draws import Random

Sizes = tuple[tuple[int, ...], ...]
Outcome = tuple[Array, ...] | str

LARGEST: Final = 12
SAMPLES: Final = 40
_CONFIGS: Final[tuple[dict[str, Any], ...]] = (
    *({"TIER": tier, "OPTIMIZE": optimize} for tier in TIERS for optimize in (True, False)),
)


def dynamic_graphs(first: int = 0) -> Iterator[tuple[int, Graph]]:
    """Yield seeds and their graphs, those with sizes of inputs that can be hidden."""
    seed = first
    while True:
        graph = opened(generate(seed), Random(seed))
        if graph.is_dynamic:
            yield seed, graph
        seed += 1


def opened(graph: Graph, draw: Random) -> Graph:
    """Return a graph with more unknown sizes, or with those that it has where inference needs the others."""
    facts = [
        Fact(node.fact.type, Shape([dim if dim.is_static and draw.chance(0.4) else Dim() for dim in node.fact.shape]))
        if node.fact.rank is not None
        else node.fact
        for node in graph.nodes
        if isinstance(node, Input)
    ]
    waiting = list(facts)
    nodes = [replace(node, fact=waiting.pop(0)) if isinstance(node, Input) else node for node in graph.nodes]
    wider = Graph(tuple(nodes), graph.results)
    try:
        infer_graph(wider)
    except OpError:
        return graph
    return wider


class Walk:
    """Draws shapes by steps and leaps. Most often equal sizes change together; now and then one changes alone.

    After a refusal the walk mostly goes back to the last shape that was not refused.
    """

    def __init__(self, graph: Graph, seed: int) -> None:
        self._inputs = [node for node in graph.nodes if isinstance(node, Input) and node.value is not None]
        self._draw = Random(seed)
        self._sizes: dict[int, int] = {}
        self._step = 0

    def shapes(self, refuses: Callable[[Sizes], bool]) -> Iterator[Sizes]:
        """Yield shapes without end; ``refuses`` tells what a fresh model does."""
        draw = self._draw
        while True:
            before = dict(self._sizes)
            if draw.chance(0.1):
                self._sizes = {}
            if self._sizes and draw.chance(0.25):
                self._sizes[draw.pick(list(self._sizes))] = draw.int(0, LARGEST)
            alone = draw.chance(0.1)
            sizes = tuple(self._shape(node, alone) for node in self._inputs)
            yield sizes
            if refuses(sizes) and draw.chance(0.8):
                self._sizes = before
                continue
            self._step = draw.pick((-1, 0, 1)) if draw.chance(0.2) else self._step
            for key in self._sizes if draw.chance(0.3) else [draw.pick(list(self._sizes))] if self._sizes else ():
                self._sizes[key] = min(max(self._sizes[key] + self._step, 0), LARGEST)

    def _shape(self, node: Input, alone: bool) -> tuple[int, ...]:
        assert node.value is not None
        dims = node.fact.shape.dims
        found = []
        for axis, size in enumerate(node.value.shape):
            is_free = dims is None or not dims[axis].is_static
            changed = self._sizes.setdefault(size, size) if is_free else size
            found.append(self._draw.int(0, LARGEST) if is_free and alone and self._draw.chance(0.3) else changed)
        return tuple(found)


class Model:
    """A written graph with the settings of its runs, and the outcomes of fresh models."""

    def __init__(self, graph: Graph, config: dict[str, Any], folder: Path) -> None:
        write(graph, folder / "model.xml")
        self._loaded = irrun.model.load((folder / "model.xml").read_bytes(), (folder / "model.bin").read_bytes())
        self._graph = graph
        self._config = config
        self._fresh: dict[Sizes, Outcome] = {}

    def compiled(self) -> Compiled:
        return irrun.model.build(self._loaded, self._config)

    def outcome(self, session: Session, sizes: Sizes) -> Outcome:
        """Run a session on inputs of some sizes, with variables at their initial values; return outputs or message."""
        session.state.reset()
        feeds = [
            external(node.fact.type, value) for node, value in zip(self._inputs(), self._values(sizes), strict=True)
        ]
        try:
            return tuple(session.run(feeds).to_tuple())
        except (IRError, InputError) as error:
            return str(error)

    def fresh(self, sizes: Sizes) -> Outcome:
        """Return the outcome of a model that has not run before."""
        if sizes not in self._fresh:
            self._fresh[sizes] = self.outcome(self.compiled().session(), sizes)
        return self._fresh[sizes]

    def difference(self, got: Outcome, sizes: Sizes) -> str | None:
        """Return how an outcome differs from that of a fresh model, by more than rounding; None if it does not."""
        want = self.fresh(sizes)
        if isinstance(got, str) or isinstance(want, str):
            return None if isinstance(got, str) and got == want else f"{got}, expected {want}"
        if all(_is_near(a, b) for a, b in zip(got, want, strict=True)):
            return None
        values = iter(self._values(sizes))
        nodes = [replace(node, value=next(values)) if isinstance(node, Input) else node for node in self._graph.nodes]
        tolerance = Tolerance(Graph(tuple(nodes), self._graph.results), 1, SAMPLES)
        return tolerance.difference([got])

    def _inputs(self) -> list[Input]:
        return [node for node in self._graph.nodes if isinstance(node, Input)]

    def _values(self, sizes: Sizes) -> list[Array]:
        """Return the values of the graph, repeated or cut to other sizes."""
        pairs = zip(self._inputs(), sizes, strict=True)
        return [np.resize(node.value, shape) for node, shape in pairs if node.value is not None]


def _is_near(a: Array, b: Array) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    largest = float(np.abs(b).max(initial=0, where=np.isfinite(b)))
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-6 * max(largest, 1e-3), equal_nan=True))


def differences(graph: Graph, seed: int, shapes: int, folder: Path) -> tuple[list[str], int]:
    """Run one session on shapes in turn; return the differences from fresh models, and the number of refusals."""
    config = _CONFIGS[seed % len(_CONFIGS)]
    model = Model(graph, config, folder)
    session = model.compiled().session()
    found, refused = [], 0
    walk = Walk(graph, seed).shapes(lambda sizes: isinstance(model.fresh(sizes), str))
    for number, sizes in zip(range(shapes), walk, strict=False):
        got = model.outcome(session, sizes)
        refused += isinstance(got, str)
        text = model.difference(got, sizes)
        if text is not None:
            found.append(f"seed {seed}, {config}, shape {number} {sizes}: {text}")
    return found, refused
