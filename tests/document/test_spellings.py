"""Texts of ids, ends, sizes and precisions that OpenVINO refuses are reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import pytest

from irrun.diagnostics import Severity
from irrun.linter import lint
from tests.linter.snippets import FOLDER
from tests.ops.test_attributes import asked

SPELLINGS = (
    *(
        "{}",
        "+{}",
        " {}",
        "{} ",
        "\t{}",
        "\u00a0{}",
        "{}\u00a0",
        "\u2009{}",
        "0{}",
        "{}.0",
        "{}f",
        "0x{}",
        "{}a",
        "{},1",
    ),
    *("-{}", "", " ", "\u00a0", "x", "\u0660", "{}e0", "99999999999999999999", "{}_0", "-1", "-2", "?"),
)
PRECISIONS = ("", "fp32", "FP32 ", "\u00a0FP32", "x", "i64x", "BOOLEAN", "DYNAMIC", "UNDEFINED", "UNSPECIFIED")
LOUD = Severity.ERROR, Severity.WARNING
PLACES = re.compile(
    r"(?P<name>id|from-layer|from-port|to-layer|to-port|external_port_id|internal_layer_id|axis|start|end|stride"
    r'|part_size|precision|type)="(?P<text>[^"]*)"|<dim>(?P<dim>\d+)</dim>'
)


def variants(net: str, *, every: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each place, another text for it, and the file."""
    seen = set()
    for place in PLACES.finditer(net):
        name, text = place["name"] or "dim", place["dim"] if place["name"] is None else place["text"]
        if name in seen and not every:
            continue
        seen.add(name)
        if name == "type":
            texts: tuple[str, ...] = ("",)
        else:
            texts = PRECISIONS if name == "precision" else tuple(form.format(text) for form in SPELLINGS)
        for other in texts:
            written = f"<dim>{escape(other)}</dim>" if name == "dim" else f"{name}={quoteattr(other)}"
            yield name, other, net[: place.start()] + written + net[place.end() :]


def model() -> str:
    """Return the TensorIterator of the examples, with every attribute of its port map."""
    found = re.search(
        r"^## TensorIterator\n.*?```xml\n(.*?)```", (FOLDER / "models.md").read_text("utf-8"), re.M | re.S
    )
    assert found is not None
    whole = '<input axis="0" start="0" end="-1" stride="1" part_size="1" '
    return found[1].replace('<input axis="0" ', whole).replace('name="steps"', 'name="op"')


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.rest)])
def test_what_openvino_refuses_is_reported(every: bool) -> None:
    """Of each kind of place the first one; with ``every``, all of them."""
    net = model()
    assert list(lint("net.xml", data=net.encode())) == []
    found = list(variants(net, every=every))
    theirs = asked([net, *(text for _, _, text in found)])
    assert theirs[0] is not None
    silent = [
        (name, text)
        for (name, text, changed), answer in zip(found, theirs[1:], strict=True)
        if answer is None and not [item for item in lint("net.xml", data=changed.encode()) if item.severity in LOUD]
    ]
    assert silent == []
    assert sum(answer is None for answer in theirs) > len(theirs) / 2
