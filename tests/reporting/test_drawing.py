"""Drawings: the layout, what is drawn, and the formats."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from irrun.model import InputError
from irrun.reporting.drawing import draw, scene_of
from irrun.reporting.drawing.layout import GraphLayout, Size, layered
from tests.reporting.models import loaded, looping, network

WIDTH, HEIGHT = 60.0, 30.0


def grid(count: int) -> dict[int, Size]:
    return dict.fromkeys(range(count), (WIDTH, HEIGHT))


def arbitrary(count: int, seed: int) -> list[tuple[int, int]]:
    generator = random.Random(seed)
    return [
        (generator.randrange(max(0, target - 12), target), target)
        for target in range(1, count)
        for _ in range(generator.choice([1, 1, 2, 3]))
    ]


def overlaps(layout: GraphLayout, sizes: dict[int, Size]) -> list[tuple[int, int]]:
    return [
        (a, b)
        for a, b in itertools.combinations(sizes, 2)
        if abs(layout.places[a][0] - layout.places[b][0]) < (sizes[a][0] + sizes[b][0]) / 2 - 0.01
        and abs(layout.places[a][1] - layout.places[b][1]) < (sizes[a][1] + sizes[b][1]) / 2 - 0.01
    ]


def test_a_chain_is_a_straight_line() -> None:
    layout = layered(grid(5), [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert {x for x, _ in layout.places.values()} == {WIDTH / 2}
    assert [y for _, y in layout.places.values()] == [15.0, 73.0, 131.0, 189.0, 247.0]
    assert layout.size == (WIDTH, 262.0)


def test_branches_are_beside_each_other() -> None:
    layout = layered(grid(4), [(0, 1), (0, 2), (1, 3), (2, 3)])
    assert layout.ranks == {0: 0, 1: 1, 2: 1, 3: 2}
    assert [x for x, _ in layout.places.values()] == [69.0, 30.0, 108.0, 69.0]


def test_an_input_is_close_to_its_reader() -> None:
    layout = layered(grid(4), [(0, 1), (1, 2), (3, 2)])
    assert layout.ranks[3] == 0
    late = layered(grid(5), [(0, 1), (1, 3), (3, 4), (2, 4)])
    assert late.ranks[2] == late.ranks[4] - 1


def test_a_long_edge_passes_the_ranks_between() -> None:
    layout = layered(grid(4), [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert list(layout.trunks) == [0]
    assert len(layout.trunks[0]) == 2
    assert all(abs(x - layout.places[1][0]) > WIDTH / 2 for x in layout.trunks[0])


def test_edges_of_one_source_share_their_way() -> None:
    edges = [(place, place + 1) for place in range(9)] + [(0, target) for target in range(2, 10)]
    layout = layered(grid(10), edges)
    assert {source: len(ways) for source, ways in layout.trunks.items()} == {0: 8}


@pytest.mark.parametrize("seed", range(8))
def test_arbitrary_graphs(seed: int) -> None:
    sizes = {id: (random.Random(id).uniform(20, 90), HEIGHT) for id in range(60)}
    edges = arbitrary(60, seed)
    layout = layered(sizes, edges)
    assert overlaps(layout, sizes) == []
    assert all(layout.ranks[a] < layout.ranks[b] for a, b in edges)
    assert set(layout.edges) | layout.interrupted == set(edges)
    assert all(0 <= x <= layout.size[0] and 0 <= y <= layout.size[1] for x, y in layout.places.values())


def test_edges_that_are_too_long_are_interrupted() -> None:
    count = 3000
    edges = [(place, place + 1) for place in range(count - 1)]
    sources = range(40)
    edges += [(source, count - 1 - source) for source in sources]
    layout = layered(grid(count), edges)
    assert layout.interrupted
    assert all((place, place + 1) in layout.edges for place in range(count - 1))


def test_an_edge_of_a_cycle_is_interrupted() -> None:
    layout = layered(grid(2), [(0, 1), (1, 0)])
    assert layout.interrupted == {(1, 0)}


def test_an_empty_graph() -> None:
    assert layered({}, []).size == (0.0, 0.0)


def test_the_scene_has_no_constants() -> None:
    scene = scene_of(loaded(network()))
    assert [box.type for box in scene.boxes] == [
        *("Parameter", "Convolution", "Add", "ReLU", "MaxPool", "Sigmoid", "Tanh", "Add", "Reshape", "Result")
    ]
    assert scene.boxes[1].kind == "product"
    assert len(scene.lines) == 10
    assert len(scene_of(loaded(network()), constants=True).boxes) == 13


def test_a_part() -> None:
    scene = scene_of(loaded(network()), ["relu"], ["right"])
    assert [box.name for box in scene.boxes] == ["relu", "pool", "right"]
    assert [box.name for box in scene_of(loaded(network()), [], ["bias"]).boxes] == ["image", "conv", "bias"]


def test_parts_that_do_not_exist() -> None:
    with pytest.raises(InputError, match='no layer "rleu"; did you mean relu'):
        scene_of(loaded(network()), ["rleu"])
    with pytest.raises(InputError, match='no path leads from "right" to "relu"'):
        scene_of(loaded(network()), ["right"], ["relu"])


def test_dot() -> None:
    assert draw(scene_of(loaded(network()), ["relu"], ["pool"]), "dot") == (
        "digraph model {\n"
        "  rankdir=TB;\n"
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];\n'
        '  edge [fontname="Helvetica", fontsize=9];\n'
        '  n5 [label="ReLU\\nrelu\\n[1,4,8,8]", fillcolor="#f5b5a8"];\n'
        '  n6 [label="MaxPool\\npool\\n[1,4,4,4]", fillcolor="#9fdcd6"];\n'
        '  n5 -> n6 [label="[1,4,8,8]"];\n'
        "}\n"
    )


def test_mermaid() -> None:
    assert draw(scene_of(loaded(network()), ["relu"], ["pool"]), "mermaid") == (
        "flowchart TD\n"
        '  n5["<b>ReLU</b><br/>relu<br/>#91;1,4,8,8#93;"]:::k_activation\n'
        '  n6["<b>MaxPool</b><br/>pool<br/>#91;1,4,4,4#93;"]:::k_pooling\n'
        '  n5 -->|"#91;1,4,8,8#93;"| n6\n'
        "  classDef k_activation fill:#f5b5a8,stroke:#777,color:#111;\n"
        "  classDef k_pooling fill:#9fdcd6,stroke:#777,color:#111;\n"
    )


def test_names_are_escaped() -> None:
    scene = scene_of(loaded(network(), ('name="relu"', 'name="a&quot;b&lt;c&gt;\\d"')), ["5"], ["pool"])
    assert 'label="ReLU\\na\\"b<c>\\\\d\\n' in draw(scene, "dot")
    assert "a#34;b#60;c#62;#92;d" in draw(scene, "mermaid")
    assert '<title>ReLU a"b&lt;c&gt;\\d</title>' in draw(scene, "svg")


def test_characters_that_control_a_terminal() -> None:
    scene = scene_of(loaded(network(), ('name="relu"', 'name="a&#10;b&#x9b;c"')), ["5"], ["5"])
    assert 'label="ReLU\\na?b?c\\n' in draw(scene, "dot")
    assert "<title>ReLU a?b?c</title>" in draw(scene, "svg")
    assert "a#10;b#155;c" in draw(scene, "mermaid")


def test_bodies_are_inside_of_their_layers(tmp_path: Path) -> None:
    scene = scene_of(looping(tmp_path))
    (loop,) = [box for box in scene.boxes if box.bodies]
    ((tag, body),) = loop.bodies
    assert tag == "body"
    dot = draw(scene, "dot")
    assert f"subgraph cluster_n{loop.id}_body {{" in dot
    assert f"n{loop.id}_body_{body.boxes[-1].id} " in dot
    assert f'subgraph n{loop.id}_body["' in draw(scene, "mermaid")


def test_svg(tmp_path: Path) -> None:
    root = ElementTree.fromstring(draw(scene_of(looping(tmp_path)), "svg"))
    space = {"svg": "http://www.w3.org/2000/svg"}
    texts = [item.text for item in root.findall(".//svg:text", space)]
    assert "Loop" in texts
    assert "body" in texts
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert (width, height) > (0, 0)
    frame = root.find(".//svg:rect[@class='frame']", space)
    assert frame is not None
    assert float(frame.attrib["width"]) < width
