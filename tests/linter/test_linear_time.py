"""Linting takes work in proportion to the text: twice the text, about twice the lines of Python that run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from irrun.diagnostics import Diagnostic
from irrun.diagnostics.render import concise, full
from irrun.linter.apply import apply_fixes
from irrun.linter.check import lint
from tests.lines import Lines
from tests.linter.growing import MANY, overlapping

HEAD: Final = '<?xml version="1.0"?>\n<net name="n" version="11">\n<layers>\n'
DIMS: Final = "<dim>2</dim><dim>3</dim>"
PARAMETER: Final = (
    '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>'
    f'<output><port id="0" precision="FP32">{DIMS}</port></output></layer>\n'
)
RESULT: Final = (
    '<layer id="1" name="y" type="Result" version="opset1">'
    f'<input><port id="0" precision="FP32">{DIMS}</port></input></layer>\n'
)


def net(layers: str = "", edges: str = "", more: str = "") -> str:
    """A sound model with more layers, edges and elements."""
    return f"{HEAD}{PARAMETER}{RESULT}{layers}</layers>\n<edges>\n{edge(0, 0, 1)}{edges}</edges>\n{more}</net>\n"


def edge(source: int, port: int, target: int) -> str:
    return f'<edge from-layer="{source}" from-port="{port}" to-layer="{target}" to-port="0"/>\n'


def relu(id: int, type: str = "ReLU", name: str = "") -> str:
    ports = (f'<port id="{port}" precision="FP32">{DIMS}</port>' for port in range(2))
    return f'<layer id="{id}" name="{name or id}" type="{type}" version="opset1">' + (
        "<input>{}</input><output>{}</output></layer>\n".format(*ports)
    )


def many(count: int, write: Callable[[int], str], between: str = "") -> str:
    return between.join(write(index) for index in range(count))


TEXTS: Final[dict[str, Callable[[int], str]]] = {
    "attributes of net": lambda n: net().replace("<net ", "<net " + many(n, lambda i: f'a{i}="1" ')),
    "attributes of data": lambda n: net().replace("<data ", "<data " + many(n, lambda i: f'a{i}="1" ')),
    "ports": lambda n: net().replace("<output>", "<output>" + many(n, lambda i: f'<port id="{i + 1}"/>')),
    "ports of one id": lambda n: net().replace("<output>", "<output>" + many(n, lambda _: '<port id="0"/>')),
    "edges to unknown ports": lambda n: net(edges=many(n, lambda i: edge(0, i + 7, 1))),
    "edges to one layer that is missing": lambda n: net(
        layers=many(n, lambda i: relu(i + 2)), edges=many(n, lambda _: edge(0, 0, 999_999))
    ),
    "edges between layers that are missing": lambda n: net(edges=many(n, lambda i: edge(i + 2, 0, i + 3))),
    "the same edge": lambda n: net(edges=edge(0, 0, 1) * n),
    "constants that overlap": overlapping,
    "a chain": lambda n: net(
        layers=many(n, lambda i: relu(i + 2)), edges=edge(0, 0, 2) + many(n - 1, lambda i: edge(i + 2, 1, i + 3))
    ),
    "a ring": lambda n: net(
        layers=many(n, lambda i: relu(i + 2)), edges=many(n, lambda i: edge(i + 2, 1, (i + 1) % n + 2))
    ),
    "layers of one id": lambda n: net(layers=relu(5) * n),
    "layers of one name": lambda n: net(layers=many(n, lambda i: relu(i + 2, name="same"))),
    "unknown types": lambda n: net(layers=many(n, lambda i: relu(i + 2, f"Re{i}"))),
    "unknown elements": lambda n: net(more=many(n, lambda i: f"<e{i}/>\n")),
    "comments that suppress nothing": lambda n: net(layers="<!-- irrun: ignore[IR401] x -->\n" * n),
    "comments in one line": lambda n: net(layers="<!-- irrun: ignore[IR401] x -->" * n),
    "dims": lambda n: net().replace(DIMS, "<dim>2</dim>" * n, 1),
    "names of tensors": lambda n: net().replace('precision="FP32"', f'precision="FP32" names="{many(n, str, ",")}"', 1),
    "ampersands": lambda n: net(layers=relu(3, name="&" * n)),
    "quotes": lambda n: net(layers=relu(3, name='" ' * n)),
    "nested elements": lambda n: net(more="<rt_info>" + "<a>" * (n // 4) + "</a>" * (n // 4) + "</rt_info>"),
    "text": lambda n: net(layers=" " * n + "<!-- " + "<" * n + " -->"),
    "closing tags": lambda n: net(layers="</layer>\n" * n),
    **MANY,
}


WRONG: Final = DIMS.replace("3", "4")
FIXABLE: Final[dict[str, Callable[[int], str]]] = {
    "wrong dims along a chain": lambda n: TEXTS["a chain"](n).replace(DIMS, WRONG).replace(WRONG, DIMS, 1),
    "wrong dims side by side": lambda n: net(
        layers=many(n, lambda i: relu(i + 2).replace(DIMS, WRONG)), edges=many(n, lambda i: edge(0, 0, i + 2))
    ),
    "ports without a precision": lambda n: net(
        layers=many(n, lambda i: relu(i + 2).replace(' precision="FP32"', "")),
        edges=many(n, lambda i: edge(0, 0, i + 2)),
    ),
}


EVERY: Final = {**TEXTS, **FIXABLE}


def work(text: str) -> int:
    """Lines that run to lint a text and to print what is found."""
    with Lines() as lines:
        findings = lint("net.xml", data=text.encode()).findings()
        full(findings)
        concise(findings)
    return lines.count


def work_to_fix(text: str) -> int:
    """Lines that run to apply all fixes."""

    def found(data: bytes) -> list[Diagnostic]:
        return [finding.diagnostic for finding in lint("net.xml", data=data).findings()]

    with Lines() as lines:
        apply_fixes(text.encode(), found, unsafe=True)
    return lines.count


def listed(text: str) -> int:
    """Findings, edits of their fixes, and notes."""
    found = [finding.diagnostic for finding in lint("net.xml", data=text.encode()).findings()]
    edits = sum(len(item.fix.edits) for item in found if item.fix is not None)
    return len(found) + edits + sum(len(item.notes) for item in found)


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", EVERY)
def test_work_grows_with_the_text(name: str, subtests: pytest.Subtests) -> None:
    write = EVERY[name]
    small = 32 if name == "unknown types" else 64
    if name in TEXTS:
        with subtests.test("to lint"):
            assert_linear(work, write, small)
    with subtests.test("to fix"):
        assert_linear(work_to_fix, write, 32)


def assert_linear(work: Callable[[str], int], write: Callable[[int], str], small: int) -> None:
    work(write(small))
    once, twice, four = (work(write(small * factor)) for factor in (1, 2, 4))
    assert four - twice <= 2.3 * max(twice - once, 20 * small)


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", MANY)
def test_what_is_reported_grows_with_the_text(name: str) -> None:
    once, twice, four = (listed(MANY[name](32 * factor)) for factor in (1, 2, 4))
    assert four - twice <= 2 * (twice - once) + 1


def test_the_texts_are_collected() -> None:
    assert len(TEXTS) >= 20
