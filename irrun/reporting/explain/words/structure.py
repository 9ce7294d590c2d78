"""Words for inputs, outputs, constants, variables, sequences and layers with bodies."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.diagnostics import amount
from irrun.ops.context import BodyInput, BodyOutput
from irrun.reporting.explain.words.register import Seen, Words, nth, says, shape_text


@says("Parameter")
def parameter(seen: Seen) -> Words:
    fact = seen.outputs[0]
    if seen.ports is None:
        index = seen.graph.parameters.index(seen.node.id)
        text = f"Input {index} of the model: the caller passes a tensor."
    else:
        index = seen.graph.parameters.index(seen.node.id)
        text = f"Parameter {index} of the body. " + _fed(seen, index)
    return [text], [f"{fact} is as declared; ? is a size that may differ from call to call"] if fact is not None else []


@says("Result")
def result(seen: Seen) -> Words:
    index = seen.graph.results.index(seen.node.id)
    if seen.ports is None:
        return [f"Output {index} of the model."], [f"the shape of its input, {shape_text(seen.inputs[0])}"]
    entries = [entry for entry in seen.ports.outputs if entry.internal == index]
    texts = [_made(entry) for entry in entries]
    texts += [f"It becomes Parameter {p} of the next iteration." for r, p in seen.ports.back_edges if r == index]
    return [f"Result {index} of the body. " + " ".join(texts)], []


@says("Const")
def constant(seen: Seen) -> Words:
    fact = seen.outputs[0]
    op = seen.op
    text = f"A constant of {op.shape.size} elements of type {op.element_type}."
    values = None if fact is None else fact.constant
    if values is not None and values.dtype.kind in "fiu" and values.size > 1:
        with np.errstate(all="ignore"):
            mean = values.mean(dtype=np.float64)
        text += f" They are from {values.min():.6g} to {values.max():.6g}, on average {mean:.6g}."
    return [text], [f"{op.shape} is as declared"]


@says("ReadValue")
def read_value(seen: Seen) -> Words:
    text = f'Read the variable "{seen.op.variable_id}", which keeps its value from one inference to the next.'
    first = f" Before the first assignment it has {'the value of the input' if seen.inputs else 'zeros'}."
    return [text + first], [f"the shape of the variable, {shape_text(seen.outputs[0])}"]


@says("Assign")
def assign(seen: Seen) -> Words:
    return [f'Store the input in the variable "{seen.op.variable_id}", for the next inference.'], []


@says("LSTMSequence", "GRUSequence", "RNNSequence")
def sequence(seen: Seen) -> Words:
    op, data = seen.op, seen.sizes()
    cell = op.type.removesuffix("Sequence")
    directions = 2 if op.direction == "bidirectional" else 1
    text = (
        f"Run a cell of type {cell} with {op.hidden_size} hidden units over {data[1]} steps of {data[2]} numbers, "
        f"{op.direction}."
    )
    lengths = seen.ints(3 if cell == "LSTM" else 2)
    is_whole = lengths is not None and all(data[1] == length for length in lengths)
    until = [] if is_whole else ["A sequence ends after its number of steps in `sequence_lengths`; output 0 is 0 then."]
    return (
        [text, "Output 0 has the hidden state after each step, the others the last states.", *until],
        [
            f"output 0: batch {data[0]}, {directions} direction{'s' if directions > 1 else ''}, {data[1]} steps, "
            f"hidden size {op.hidden_size}: {nth(seen.result)}"
        ],
    )


@says("Loop", "TensorIterator")
def loop(seen: Seen) -> Words:
    ports = next(iter(seen.node.bodies.values())).ports
    size = len(next(iter(seen.node.bodies.values())).graph)
    texts = [f"Run a body of {amount(size, 'layer')} repeatedly."]
    trips = seen.ints(0) if seen.op.type == "Loop" else None
    if trips is not None:
        texts.append(
            "The number of iterations is not limited." if trips[0] < 0 else f"At most {trips[0]:,} iterations."
        )
    sliced = [entry for entry in ports.inputs if entry.axis is not None and entry.external is not None]
    for entry in sliced:
        fact = seen.input(entry.external or 0)
        known = fact is not None and fact.rank is not None
        whole = f", of size {fact.shape[entry.axis or 0]}" if known and fact is not None else ""
        backwards = ", from the end" if entry.stride < 0 else ""
        texts.append(
            f"Each iteration gets the next slice of {entry.part_size} of input {entry.external} along axis "
            f"{entry.axis}{whole}{backwards}."
        )
    if ports.back_edges:
        count = len(ports.back_edges)
        texts.append(f"{count} value{'s are' if count > 1 else ' is'} passed from each iteration to the next.")
    made = [f"Output {entry.external}: {_joined(entry)}" for entry in ports.outputs if entry.external is not None]
    shapes = [f"output {port} is {shape_text(fact)}" for port, fact in enumerate(seen.outputs) if fact is not None]
    return [*texts, *made], shapes


@says("If")
def branch(seen: Seen) -> Words:
    sizes = {tag: len(body.graph) for tag, body in seen.node.bodies.items()}
    text = (
        f"Run one of two bodies: then_body, of {sizes.get('then_body', 0)} layers, where the condition is true; "
        f"else_body, of {sizes.get('else_body', 0)}, otherwise."
    )
    return [text], ["each output has the sizes that both bodies agree on"]


@says("Range")
def number_range(seen: Seen) -> Words:
    known = [seen.numbers(port) for port in range(3)]
    start, stop, step = (name if value is None else value[0] for name, value in zip(_BOUNDS, known, strict=True))
    side = "up to, without," if known[2] is None else "above" if step.startswith("-") else "below"
    kind = getattr(seen.op, "output_type", None)
    is_cut = kind is not None and kind.is_integer and any(fact and fact.type.is_float for fact in seen.inputs)
    cut = [f"The inputs are truncated first, since the output is {kind}."] if is_cut else []
    size = "" if is_cut else f"({stop} - {start}) / {step}, rounded up, or 0 = "
    return (
        [f"The numbers from {start}, {side} {stop}, {step} apart.", *cut],
        [f"axis 0: {size}{seen.result[0]}"],
    )


_BOUNDS: Final = ("start", "stop", "step")


def _fed(seen: Seen, index: int) -> str:
    assert seen.ports is not None
    texts = [_given(entry) for entry in seen.ports.inputs if entry.internal == index]
    texts += [f"Later iterations get Result {r} of the previous one." for r, p in seen.ports.back_edges if p == index]
    return " ".join(texts)


def _given(entry: BodyInput) -> str:
    if entry.external is None:
        return "It is the number of the iteration."
    if entry.axis is None:
        return f"It gets input {entry.external} of the layer."
    return f"It gets a slice of {entry.part_size} of input {entry.external} along axis {entry.axis}."


def _made(entry: BodyOutput) -> str:
    return (
        "It is the condition to continue."
        if entry.external is None
        else f"It becomes output {entry.external} of the layer."
    )


def _joined(entry: BodyOutput) -> str:
    if entry.axis is None:
        return "the value of the last iteration."
    order = ", the last one first" if entry.stride < 0 else ""
    return f"the values of all iterations, joined along axis {entry.axis}{order}."
