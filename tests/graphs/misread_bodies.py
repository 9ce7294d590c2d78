"""What the native plugin does wrong with loops and branches, and what they are made of."""

from __future__ import annotations

from tests.graphs.failure import Failure
from tests.graphs.graph import Body, Layer, Source, ancestors, variable


def convolution_of_a_branch(failure: Failure) -> set[int]:
    branches = {i for i, _ in failure.layers("If") if not failure.facts[Source(i)].shape.is_static}
    read = [ancestors(failure.graph.nodes, layer.sources[0].node) for _, layer in failure.layers("Convolution")]
    return branches.intersection(*[set().union(*read)])


def forgotten_slices(failure: Failure) -> set[int]:
    """Layers of which no output whose elements are read depends on the slices."""
    read = {
        source
        for _, layer in failure.layers()
        if layer.op.type != "ShapeOf"
        for number, source in enumerate(layer.sources)
        if number not in _ignored(layer)
    }
    read |= {*failure.graph.results}
    return {
        index
        for index, layer in failure.layers("Loop", "TensorIterator")
        if not _reads_slices(layer.bodies["body"], {source.port for source in read if source.node == index})
    }


def _ignored(layer: Layer) -> set[int]:
    """The inputs of a layer that none of its bodies reads."""
    found = set(range(1, len(layer.sources))) if layer.bodies else set()
    for body in layer.bodies.values():
        used = {source for node in body.graph.nodes if isinstance(node, Layer) for source in node.sources}
        used |= {*body.graph.results}
        inputs = body.graph.inputs
        found -= {entry.external for entry in body.ports.inputs if Source(inputs[entry.internal]) in used}
    return found


def dynamic_branches(failure: Failure) -> set[int]:
    found = set()
    for index, layer in failure.layers("If"):
        if any(not failure.facts[Source(index, port)].shape.is_static for port in range(layer.outputs)):
            found.add(index)
    return found


def exchanged_states(failure: Failure) -> set[int]:
    """Loops in which a state becomes what another one was."""
    found = set()
    for index, layer in failure.layers("Loop", "TensorIterator"):
        body = layer.bodies["body"]
        for result, parameter in body.ports.back_edges:
            node = body.graph.results[result].node
            if node in body.graph.inputs and node != body.graph.inputs[parameter]:
                found.add(index)
    return found


def constant_states(failure: Failure) -> set[int]:
    """Variables to which is written what a loop hands on unchanged of a constant."""
    written = set()
    for _, layer in failure.layers("Assign"):
        source = layer.sources[0]
        loop = failure.graph.nodes[source.node]
        if isinstance(loop, Layer) and loop.op.type in ("Loop", "TensorIterator"):
            written |= {variable(layer)} if _hands_on(failure, loop, source.port) else set()
    return {index for index, layer in failure.layers("ReadValue") if variable(layer) in written}


def _hands_on(failure: Failure, loop: Layer, port: int) -> bool:
    """Whether an output of a loop is a constant that goes into it."""
    body = loop.bodies["body"]
    results = {body.graph.results[entry.internal].node for entry in body.ports.outputs if entry.external == port}
    constants = {
        body.graph.inputs[entry.internal]
        for entry in body.ports.inputs
        if entry.axis is None and failure.facts[loop.sources[entry.external]].constant is not None
    }
    return bool(results) and results <= constants


def _reads_slices(body: Body, outputs: set[int]) -> bool:
    """Whether these outputs of a layer depend on all slices of its inputs."""
    inputs, back = body.graph.inputs, {parameter: result for result, parameter in body.ports.back_edges}
    waiting = {e.internal for e in body.ports.outputs if e.external is None or e.external in outputs}
    done: set[int] = set()
    reached: set[int] = set()
    while waiting:
        done |= waiting
        for result in waiting:
            reached |= ancestors(body.graph.nodes, body.graph.results[result].node)
        waiting = {back[number] for number, node in enumerate(inputs) if node in reached and number in back} - done
    return all(inputs[entry.internal] in reached for entry in body.ports.inputs if entry.axis is not None)
