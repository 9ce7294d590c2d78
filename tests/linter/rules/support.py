"""Helpers for the tests of single rules."""

from __future__ import annotations

from pathlib import Path

from irrun.diagnostics import Diagnostic
from irrun.linter import lint
from irrun.linter.rule import rules


def findings(folder: Path, text: str, weights: bytes | None = None) -> list[Diagnostic]:
    path = folder / "model.xml"
    path.write_text(text, encoding="utf-8")
    if weights is not None:
        path.with_suffix(".bin").write_bytes(weights)
    return list(lint(path, asked=rules()))


def told(found: list[Diagnostic]) -> list[tuple[str, str, str]]:
    """Return the code, severity and message of each finding."""
    return [(item.code, str(item.severity), item.message) for item in found]


def port(id: int, precision: str, *dims: int) -> str:
    return f'<port id="{id}" precision="{precision}">{"".join(f"<dim>{dim}</dim>" for dim in dims)}</port>'


def layer(id: int, name: str, type: str, opset: int, data: str = "", inputs: str = "", outputs: str = "") -> str:
    parts = [f'<layer id="{id}" name="{name}" type="{type}" version="opset{opset}">']
    parts += [f"<data {data}/>"] if data else []
    parts += [f"<input>{inputs}</input>"] if inputs else []
    parts += [f"<output>{outputs}</output>"] if outputs else []
    return "".join((*parts, "</layer>"))


def net(*layers: str, edges: str) -> str:
    """Return a model; ``edges`` are ``from.port>to.port``, separated by blanks."""
    joined = []
    for edge in edges.split():
        (source, output), (target, input) = (end.split(".") for end in edge.split(">"))
        joined.append(f'<edge from-layer="{source}" from-port="{output}" to-layer="{target}" to-port="{input}"/>')
    body = "\n".join(layers)
    lines = "\n".join(joined)
    return f'<net name="net" version="11">\n<layers>\n{body}\n</layers>\n<edges>\n{lines}\n</edges>\n</net>\n'
