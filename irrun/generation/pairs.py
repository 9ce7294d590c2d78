"""Pairs of texts, joined by the template in the ``rt_info`` of a tokenizer with one input."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.text.ragged import shortened_pair
from irrun.model import Loaded
from irrun.runtime.state import State
from irrun.tensor import Array

_ENTRY: Final = "processed_post_processor_template"
_SWITCH: Final = "truncation"


class Template(NamedTuple):
    """The ids of a pair of texts in order, where -1 stands for the first text and -2 for the second; their types."""

    ids: Sequence[int]
    types: Sequence[int]


def template(info: Mapping[str, str]) -> Template | None:
    """Return the template of pairs of a tokenizer; None where its ``rt_info`` has none that can be used."""
    try:
        pair: Any = json.loads(info.get(_ENTRY, "{}"))["pair"]
        ids = [int(id) for id in pair["ids"]]
        types = [int(type) for type in pair.get("type_ids", [0] * len(ids))]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    is_pair = sorted(id for id in ids if id < 0) == [-2, -1] and len(types) == len(ids)
    return Template(ids, types) if is_pair else None


def joined(
    first: Sequence[Array], second: Sequence[Array], template: Template, most: int | None, pad: int
) -> dict[str, Array]:
    """Return ids, mask and types of pairs of rows, padded at the end.

    A pair of more than ``most`` tokens is cut: first the longer text, then both.
    """
    rows, types = [], []
    for a, b in zip(first, second, strict=True):
        sizes = np.array(len(a)), np.array(len(b))
        if most is not None:
            sizes = shortened_pair(*sizes, max(most - (len(template.ids) - 2), 0), "longest_first")
        pair = a[: int(sizes[0])], b[: int(sizes[1])]
        parts = [np.array([id]) if id >= 0 else pair[-1 - id] for id in template.ids]
        rows.append(np.concatenate(parts))
        types.append(np.repeat(template.types, [len(part) for part in parts]))
    longest = max(map(len, rows))
    found = {name: np.zeros((len(rows), longest), np.int64) for name in ("input_ids", "attention_mask")}
    found["input_ids"][:] = pad
    found["token_type_ids"] = np.zeros((len(rows), longest), np.int64)
    for place, (row, type) in enumerate(zip(rows, types, strict=True)):
        found["input_ids"][place, : len(row)] = row
        found["attention_mask"][place, : len(row)] = 1
        found["token_type_ids"][place, : len(row)] = type
    return found


def limit(model: Loaded) -> int | None:
    """Return the most tokens of a text that the Truncate of a tokenizer keeps; None where it keeps all."""
    graph = model.graph
    for node in graph.ordered():
        if node.type != "Truncate":
            continue
        source = graph.sources(node.id)[node.inputs - 3]
        if source is not None and graph.node(source.node).type == "Select":
            source = graph.sources(source.node)[1]
        fact = model.facts.get(source) if source is not None else None
        value = None if fact is None else fact.constant
        if value is not None and value.size == 1 and 0 < int(value.reshape(-1)[0]) < np.iinfo(np.int32).max:
            return int(value.reshape(-1)[0])
    return None


def leave_whole(model: Loaded, state: State) -> None:
    """Let a tokenizer of single texts that has a switch for cutting leave them whole, and one of pairs cut them."""
    for node in model.graph.ordered():
        name = str(getattr(node.op, "variable_id", ""))
        if node.type == "ReadValue" and name.startswith(_SWITCH):
            state.values[name] = np.array(len(model.inputs) > 1)
