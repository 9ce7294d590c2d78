"""Edits of a built model through the API: seconds for a number of edits of a graph of many nodes, by kind of edit.

Each edit puts a node between two others, or changes an attribute; with ``--validate`` types and shapes are inferred
after each edit. The time of an edit must not grow with the graph: compare ``--nodes 5000`` with ``--nodes 50000``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from irrun.openvino import Model
from irrun.openvino import opset13 as ops


def chain(nodes: int) -> Model:
    """Return a model with a chain of Clamp."""
    x = ops.parameter([2, 3], np.float32, name="x")
    node = x
    for _ in range(nodes):
        node = ops.clamp(node, 0.0, 6.0)
    return Model([node], [x], "chain")


def insert(node: Any) -> None:
    node.input(0).replace_source_output(ops.relu(node.input_value(0)).output(0))


def change(node: Any) -> None:
    node.set_attribute("max", 5.0)


def seconds(model: Model, edit: Callable[[Any], None], edits: int, *, validate: bool) -> float:
    """Return the time of some edits on the processor, at nodes all over the model."""
    clamps = [node for node in model.get_ordered_ops() if node.get_type_name() == "Clamp"]
    model.validate_nodes_and_infer_types()
    chosen = clamps[:: max(1, len(clamps) // edits)][:edits]
    began = time.process_time()
    for node in chosen:
        edit(node)
        if validate:
            model.validate_nodes_and_infer_types()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--validate", action="store_true", help="infer types and shapes after each edit")
    arguments = parser.parse_args()
    model = chain(arguments.nodes)
    for edit in (insert, change):
        taken = seconds(model, edit, arguments.edits, validate=arguments.validate)
        print(f"{edit.__name__:8}{taken:8.3f} s, {1e6 * taken / arguments.edits:6.0f} µs each")


if __name__ == "__main__":
    main()
