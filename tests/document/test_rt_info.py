"""``<rt_info>`` of a net: entries with a value, by name."""

from __future__ import annotations

import pytest

from irrun.document.reader import read
from irrun.document.rt_info import rt_info
from tests.linter.models import ITERATOR, NET


def entries(content: str) -> dict[str, str]:
    return dict(rt_info(read(NET.replace("</net>", f"{content}</net>").encode())))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", {}),
        ("<rt_info/>", {}),
        ("<rt_info></rt_info>", {}),
        ('<rt_info><a value="1"/><b/><c value=""/></rt_info>', {"a": "1", "c": ""}),
        ('<rt_info><info name="OpenVINO Runtime" value="2026"/></rt_info>', {"OpenVINO Runtime": "2026"}),
        ('<rt_info>\n<a><b value="1"/></a>\n<c value="&lt;s>"/>\n</rt_info>\n', {"c": "<s>"}),
    ],
)
def test_entries(content: str, expected: dict[str, str]) -> None:
    assert entries(content) == expected


def test_that_of_a_layer_is_not_that_of_the_net() -> None:
    text = NET.replace('<data min="0" max="6"/>', '<data min="0" max="6"/><rt_info><a value="1"/></rt_info>')
    assert rt_info(read(text.encode())) == {}


def test_a_net_without_layers() -> None:
    text = '<net name="n" version="11"><layers/><edges/><rt_info><a value="1"/></rt_info></net>'
    assert rt_info(read(text.encode())) == {"a": "1"}


def test_that_of_a_layer_in_a_net_with_its_own() -> None:
    text = NET.replace('<data min="0" max="6"/>', '<data min="0" max="6"/><rt_info><a value="1"/></rt_info>')
    assert rt_info(read(text.replace("</net>", '<rt_info><b value="2"/></rt_info></net>').encode())) == {"b": "2"}


def test_that_of_a_body_is_not_that_of_the_net() -> None:
    text = ITERATOR.replace("</body>", '<rt_info><a value="1"/></rt_info></body>')
    assert text.count("<rt_info>") == 1
    assert rt_info(read(text.encode())) == {}


def test_comments() -> None:
    assert entries('<!-- <rt_info> --><rt_info><a value="1"/></rt_info>') == {"a": "1"}
    assert entries('<rt_info><a value="1"/><!-- <rt_info> --></rt_info>') == {}


def test_an_end_inside_a_comment() -> None:
    assert entries('<rt_info><a value="1"/><!-- </rt_info> --></rt_info>') == {}
