"""Models of any size: many outputs of one layer, chains of bodies, many Parameters, many comments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final


def port(id: int, *dims: int, precision: str = "FP32") -> str:
    sizes = "".join(f"<dim>{dim}</dim>" for dim in dims)
    return f'<port id="{id}" precision="{precision}">{sizes}</port>'


def layer(
    id: int, type: str, inputs: Iterable[str] = (), outputs: Iterable[str] = (), data: str = "", more: str = ""
) -> str:
    return (
        f'<layer id="{id}" name="{type}{id}" type="{type}" version="opset1">{f"<data {data}/>" if data else ""}'
        f"<input>{''.join(inputs)}</input><output>{''.join(outputs)}</output>{more}</layer>\n"
    )


def parameter(id: int, *dims: int) -> str:
    return layer(id, "Parameter", (), [port(0, *dims)], f'shape="{",".join(map(str, dims))}" element_type="f32"')


def relu(id: int, arrives: int, declared: int) -> str:
    return layer(id, "ReLU", [port(0, arrives)], [port(1, declared)])


def result(id: int, *dims: int) -> str:
    return layer(id, "Result", [port(0, *dims)])


def edge(source: int, output: int, target: int, input: int = 0) -> str:
    return f'<edge from-layer="{source}" from-port="{output}" to-layer="{target}" to-port="{input}"/>\n'


def net(layers: Sequence[str], edges: Sequence[str], version: str = "11") -> str:
    inner = f"<layers>\n{''.join(layers)}</layers>\n<edges>\n{''.join(edges)}</edges>\n"
    return f'<?xml version="1.0"?>\n<net name="n" version="{version}">\n{inner}</net>\n'


def split(count: int, size: int, *, version: str = "11", ids: Callable[[int], int] = lambda i: i + 2) -> str:
    """A Split into ``count`` parts of size 1, declared as ``size``, with a Result for each.

    The axis is the size of an empty Parameter, so that no weights are needed.
    """
    outputs = [port(ids(index), size) for index in range(count)]
    layers = [
        parameter(0, count),
        parameter(1, 0),
        layer(2, "ShapeOf", [port(0, 0)], [port(1, 1, precision="I64")]),
        layer(3, "Squeeze", [port(0, 1, precision="I64")], [port(1, precision="I64")]),
        layer(4, "Split", [port(0, count), port(1, precision="I64")], outputs, f'num_splits="{count}"'),
        *(result(index + 5, size) for index in range(count)),
    ]
    edges = [edge(1, 0, 2), edge(2, 1, 3), edge(0, 0, 4), edge(3, 1, 4, 1)]
    return net(layers, [*edges, *(edge(4, ids(index), index + 5) for index in range(count))], version)


def body(declared: int) -> str:
    """A Parameter of 4 elements, a ReLU whose output is ``declared``, and a Result."""
    layers = parameter(0, 4), relu(1, 4, declared), result(2, declared)
    return f"<body><layers>{''.join(layers)}</layers><edges>{edge(0, 0, 1)}{edge(1, 1, 2)}</edges></body>"


PORT_MAP: Final = (
    '<port_map><input external_port_id="0" internal_layer_id="0"/>'
    '<output external_port_id="1" internal_layer_id="2"/></port_map><back_edges/>'
)


def bodies(count: int, wrong: Callable[[int], int]) -> str:
    """A chain of TensorIterators over 4 elements; the body of each declares ``wrong`` instead, and so does its port."""
    layers = [
        layer(index + 1, "TensorIterator", [port(0, 4)], [port(1, wrong(index))], "", PORT_MAP + body(wrong(index)))
        for index in range(count)
    ]
    edges = [edge(0, 0, 1), *(edge(index, 1, index + 1) for index in range(1, count + 1))]
    return net([parameter(0, 4), *layers, result(count + 1, 4)], edges)


def chain(count: int, declared: Callable[[int], int]) -> str:
    """A chain of ReLUs over 4 elements, with the declared size of each output."""
    sizes = [4, *(declared(index) for index in range(count))]
    layers = [relu(index + 1, sizes[index], sizes[index + 1]) for index in range(count)]
    edges = [edge(0, 0, 1), *(edge(index, 1, index + 1) for index in range(1, count + 1))]
    return net([parameter(0, 4), *layers, result(count + 1, sizes[-1])], edges)


def joined(count: int) -> str:
    """As many ReLUs with wrong dims, added up along a chain with wrong dims."""
    wrong = [relu(index + 1, 4, 5) for index in range(count)]
    first = count + 1
    sums = [layer(first + i, "Add", [port(0, 5), port(1, 5)], [port(2, 5)]) for i in range(count)]
    edges = [edge(0, 0, index + 1) for index in range(count)]
    for index in range(count):
        edges += [
            edge(index + 1, 1, first + index),
            edge(*((first + index - 1, 2) if index else (1, 1)), first + index, 1),
        ]
    return net(
        [parameter(0, 4), *wrong, *sums, result(first + count, 5)], [*edges, edge(first + count - 1, 2, first + count)]
    )


def inputs(count: int) -> str:
    """As many Parameters, each with a ReLU and a Result."""
    layers = [
        text
        for index in range(0, 3 * count, 3)
        for text in (parameter(index, 4), relu(index + 1, 4, 4), result(index + 2, 4))
    ]
    edges = [
        text for index in range(0, 3 * count, 3) for text in (edge(index, 0, index + 1), edge(index + 1, 1, index + 2))
    ]
    return net(layers, edges)


def overlapping(count: int) -> str:
    """As many constants of 16 bytes, each one byte behind the one before."""
    constants = [
        f'<layer id="{index + 2}" name="c{index}" type="Const" version="opset1">'
        f'<data element_type="f32" shape="4" offset="{index}" size="16"/><output>{port(0, 4)}</output></layer>'
        for index in range(count)
    ]
    return net([parameter(0, 4), result(1, 4), *constants], [edge(0, 0, 1)])


MANY: Final[dict[str, Callable[[int], str]]] = {
    "outputs of one layer": lambda n: split(n, 1),
    "outputs of one layer in version 10": lambda n: split(n, 1, version="10"),
    "wrong outputs of one layer": lambda n: split(n, 2),
    "outputs of one id": lambda n: split(n, 2, ids=lambda i: 2 + i // 2),
    "bodies with wrong dims": lambda n: bodies(n, lambda _: 5),
    "bodies with other wrong dims": lambda n: bodies(n, lambda i: 5 + i % 2),
    "wrong dims that alternate": lambda n: chain(n, lambda i: 4 + i % 2),
    "wrong dims that differ": lambda n: chain(n, lambda i: 5 + i),
    "wrong dims of pairs": lambda n: chain(n, lambda i: 5 + i // 2),
    "wrong dims that meet": joined,
    "inputs": inputs,
    "comments for the whole file": lambda n: "<!-- irrun: ignore-file[IR401] -->\n" * n + inputs(1).partition("\n")[2],
    "comments for groups": lambda n: "<!-- irrun: ignore-file[IR4, IR5] -->\n" * n + inputs(1).partition("\n")[2],
}
