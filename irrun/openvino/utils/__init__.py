"""Edits of graphs, as OpenVINO's ``utils``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.notes import Notes
from irrun.openvino.nodes.ports import Output
from irrun.openvino.utils import decorators, node_factory, types


def replace_node(target: Node, replacement: Any, outputs_order: Sequence[int] | None = None) -> None:
    """Feed the consumers of a node from another node, or from one output for each of its own."""
    if isinstance(replacement, Node):
        order = outputs_order if outputs_order is not None else range(target.get_output_size())
        replacement = [replacement.output(index) for index in order]
    if len(replacement) != target.get_output_size():
        count = target.get_output_size()
        raise RuntimeError(f'node "{target.friendly_name}" has {count} outputs, got {len(replacement)} replacements')
    for output, source in zip(target.outputs(), replacement, strict=True):
        _feed(output, source)


def replace_output_update_name(output: Output, target_output: Output) -> bool:
    """Feed the consumers of an output from another one, which receives its tensor names."""
    _feed(output, target_output)
    Notes(target_output.node).take(Notes(output.node))
    return True


def _feed(output: Output, source: Output) -> None:
    for target in output.target_inputs:
        target.replace_source_output(source)
    source.add_names(output.names)
    source.take_notes(output)


__all__ = ["decorators", "node_factory", "replace_node", "replace_output_update_name", "types"]
