"""Layers that belong together: by name, by surroundings, by isomorphism, and what is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from irrun.debugging.matching import Described, matched, matched_outlets
from irrun.graph import Outlet
from irrun.model import load
from tests.debugging.nets import NETS, written

Layers = dict[str, tuple[str, tuple[str, ...]]]


def graph(layers: Layers, scaled: tuple[str, ...] = ()) -> nx.MultiDiGraph[Any]:
    """Return layers by name: their type, and the layers that they consume."""
    made: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    for name, (kind, _) in layers.items():
        made.add_node(name, layer=Described(name, kind, name in scaled))
    for name, (_, sources) in layers.items():
        for port, source in enumerate(sources):
            made.add_edge(source, name, from_port=0, to_port=port)
    return made


CHAIN: Layers = {"x": ("Parameter", ()), "a": ("Relu", ("x",)), "b": ("Tanh", ("a",)), "c": ("Relu", ("b",))}


def renamed(layers: Layers, *kept: str) -> Layers:
    new = {name: name if name in kept else f"{name}'" for name in layers}
    return {new[name]: (kind, tuple(new[item] for item in sources)) for name, (kind, sources) in layers.items()}


def pairs(left: Layers, right: Layers, **named: Any) -> dict[str, tuple[str, str]]:
    return matched(graph(left, **named), graph(right, **named))


def test_by_name() -> None:
    assert pairs(CHAIN, CHAIN) == {name: (name, "name") for name in CHAIN}


def test_by_surroundings() -> None:
    found = pairs(CHAIN, renamed(CHAIN, "x"))
    assert found == {"x": ("x", "name"), **{name: (f"{name}'", "structure") for name in "abc"}}


def test_a_layer_more_on_one_side() -> None:
    more = {**CHAIN, "b": ("Tanh", ("extra",)), "extra": ("Abs", ("a",))}
    found = pairs(CHAIN, renamed(more, "x"))
    assert {name: other for name, (other, _) in found.items()} == {"x": "x", "a": "a'", "b": "b'", "c": "c'"}


def test_parts_that_are_symmetric_are_isomorphic() -> None:
    """Two branches are alike, so that no surroundings tell them apart; any pairing of them is right."""
    both: Layers = {
        "x": ("Parameter", ()),
        **{f"a{n}": ("Relu", ("x",)) for n in range(2)},
        **{f"b{n}": ("Tanh", (f"a{n}",)) for n in range(2)},
        "sum": ("Add", ("b0", "b1")),
    }
    both["twice"] = ("Add", ("x", "x"))
    found = pairs(both, renamed(both, "x"))
    assert set(found) == set(both)
    assert {other for other, _ in found.values()} == set(renamed(both, "x"))


def test_a_product_with_a_constant_is_matched_by_name_only() -> None:
    right = graph(renamed(CHAIN, "x", "c"), scaled=("a'", "c"))
    assert matched(graph(CHAIN, scaled=("a", "c")), right) == {
        "x": ("x", "name"),
        "b": ("b'", "structure"),
        "c": ("c", "name"),
    }


def test_other_types_and_ports_do_not_match() -> None:
    left: Layers = {"x": ("Parameter", ()), "y": ("Parameter", ()), "d": ("Subtract", ("x", "y"))}
    right: Layers = {"x": ("Parameter", ()), "y": ("Parameter", ()), "e": ("Subtract", ("y", "x"))}
    assert set(pairs(left, right)) == {"x", "y"}
    assert set(pairs(CHAIN, {**CHAIN, "b": ("Tanh", ("a",)), "c": ("Relu", ("b",))})) == set(CHAIN)


@pytest.mark.parametrize("name", NETS)
def test_an_export_with_other_names(tmp_path: Path, name: str) -> None:
    """All layers but products with constants are matched, each with its counterpart."""
    path = written(name, tmp_path)
    model = load(path)
    text = path.read_text()
    for node in model.graph.ordered():
        if node.type not in ("Parameter", "Result"):
            text = text.replace(f'name="{node.name}"', f'name="other {node.id}"')
    other = load(text.encode(), path.with_suffix(".bin"))
    found = matched_outlets(model.graph, other.graph)
    assert {outlet: counterpart for outlet, (counterpart, _) in found.items()} == {outlet: outlet for outlet in found}
    assert len(found) >= 0.4 * sum(node.type not in ("Const", "Result") for node in model.graph.ordered())
    assert all(isinstance(outlet, Outlet) for outlet in found)
