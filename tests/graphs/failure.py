"""A finding and its graph, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.graphs.evaluate import Facts
from tests.graphs.graph import Graph, Layer


class Failure(NamedTuple):
    """A graph, what is inferred of it, and what the finding says."""

    graph: Graph
    facts: Facts
    text: str

    def layers(self, *types: str) -> Iterator[tuple[int, Layer]]:
        """The outermost layers of some types, or all, by index."""
        for index, node in enumerate(self.graph.nodes):
            if isinstance(node, Layer) and (not types or node.op.type in types):
                yield index, node

    def pairs(self, first: tuple[str, ...], second: tuple[str, ...] = ()) -> Iterator[tuple[int, Layer, Layer]]:
        """Layers of the first types with those of the second ones, or any, that read them; the index is the first's."""
        for _, layer in self.layers(*second):
            for source in layer.sources:
                producer = self.graph.nodes[source.node]
                if isinstance(producer, Layer) and producer.op.type in first:
                    yield source.node, producer, layer

    def is_constant(self, layer: Layer) -> bool:
        """Whether a layer reads constants alone."""
        return bool(layer.sources) and all(self.facts[source].constant is not None for source in layer.sources)

    def has_computed_kernel(self, layer: Layer) -> bool:
        """Whether the kernel of a product is computed of constants."""
        kernel = layer.sources[1]
        return self.facts[kernel].constant is not None and isinstance(self.graph.nodes[kernel.node], Layer)
