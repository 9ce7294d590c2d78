"""``<rt_info>`` of layers and ports: read, and by the keys of OpenVINO's API."""

from __future__ import annotations

import pytest

from irrun.diagnostics import IRError
from irrun.document import read, walker
from irrun.document.info import entry_of, find, key_of, merged, texts, value_of, with_entry, without
from irrun.document.records import InfoElement
from irrun.document.rendering import entry_lines
from irrun.graph import bind
from irrun.graph.graph import NO_INFO
from tests.linter.models import NET

MARK = '<attribute name="DisablePrecisionConversion" version="0" value="dynamic:f16"/>'
NAMES = '<attribute name="fused_names" version="0" value="a, b"/>'
MINE = '<user_data name="mine" version=""><user_data name="k" value="1" version=""/></user_data>'


def clamp(layer: str = "", input: str = "", output: str = "") -> str:
    """Return a net whose Clamp has runtime information."""
    text = NET.replace('<data min="0" max="6"/>', f'<data min="0" max="6"/>{layer}')
    start = text.index("<input>", text.index("Clamp"))
    first, second = text.index("</port>", start), text.index("</port>", text.index("<output>", start))
    return f"{text[:first]}{input}{text[first:second]}{output}{text[second:]}"


def info(content: str) -> str:
    return f"<rt_info>{content}</rt_info>"


def test_layers_and_ports() -> None:
    document = read(clamp(info(MARK + MINE), info(NAMES), info(MINE)).encode())
    graph = bind(document).graph
    node = next(node for node in graph.ordered() if node.type == "Clamp")
    assert [key_of(entry) for entry in node.info.layer] == ["DisablePrecisionConversion_0", "user_datamine"]
    assert [value_of(entry) for entry in node.info.layer] == ["dynamic:f16", {"k": "1"}]
    assert [[value_of(entry) for entry in port] for port in node.info.inputs] == [["a, b"]]
    assert [texts(port) for port in node.info.outputs] == [{"mine/k": "1"}]
    assert all(other.info is NO_INFO for other in graph.ordered() if other is not node)
    assert not document.diagnostics


def test_ordinals_stay_those_of_the_file() -> None:
    text = clamp(info(MINE), info(MARK), info(NAMES))
    document = read(text.encode())
    starts = [text[document.source_map._starts[layer.element] :].startswith("<layer") for layer in document.net.layers]
    edges = [text[document.source_map._starts[edge.element] :].startswith("<edge") for edge in document.net.edges]
    assert all(starts)
    assert all(edges)


def test_the_first_of_several_counts() -> None:
    document = read(clamp(info(MARK) + info(NAMES)).encode())
    assert [list(texts(layer.info)) for layer in document.net.layers if layer.info] == [["DisablePrecisionConversion"]]


def test_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walker, "MOST_ENTRIES", 2)
    with pytest.raises(IRError, match="more than 2 elements"):
        read(clamp(info(MARK + MINE)).encode())


@pytest.mark.parametrize(
    ("key", "value", "entry"),
    [
        ("layout_0", "[N,C]", InfoElement("attribute", (("name", "layout"), ("version", "0"), ("layout", "[N,C]")))),
        ("decompression_0", "", InfoElement("attribute", (("name", "decompression"), ("version", "0")))),
        ("user_dataa", True, InfoElement("user_data", (("name", "a"), ("value", "YES"), ("version", "")))),
        ("user_dataa", [1, 2.5], InfoElement("user_data", (("name", "a"), ("value", "1 2.5"), ("version", "")))),
        ("user_data", "", None),
        ("mine", "", None),
    ],
)
def test_entries_of_keys(key: str, value: object, entry: InfoElement | None) -> None:
    assert entry_of(key, value) == entry


def test_nested_values() -> None:
    entry = entry_of("user_datamine", {"b": {"c": 1}, "a": "x"})
    assert entry is not None
    assert value_of(entry) == {"a": "x", "b": {"c": "1"}}
    assert texts((entry,)) == {"mine/a": "x", "mine/b/c": "1"}


def test_edits_keep_the_order_of_keys() -> None:
    first, second = entry_of("user_dataz", 1), entry_of("layout_0", "NC")
    assert first is not None
    assert second is not None
    made = with_entry((first,), second)
    assert made == (second, first)
    assert find(made, "layout_0") is second
    assert without(made, "layout_0") == (first,)


def test_names_are_merged() -> None:
    one, two, mark = entry_of("fused_names_0", "b"), entry_of("fused_names_0", "a, c"), entry_of("user_dataz", 1)
    assert one is not None
    assert two is not None
    assert mark is not None
    assert {key_of(entry): value_of(entry) for entry in merged([(one,), (), (mark, two)])} == {
        "fused_names_0": "a, b, c",
        "user_dataz": "1",
    }


def test_what_is_rendered_again() -> None:
    document = read(clamp(info('<x a="1">a &amp; b</x><y><z b="&lt;"/></y>')).encode())
    (layer,) = (layer for layer in document.net.layers if layer.info)
    assert [line for entry in layer.info for line in entry_lines(entry, "")] == [
        '<x a="1">a &amp; b</x>',
        "<y>",
        '\t<z b="&lt;" />',
        "</y>",
    ]
