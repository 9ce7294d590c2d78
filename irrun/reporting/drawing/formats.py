"""Drawings as texts: the language of Graphviz, Mermaid, and SVG."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from irrun.reporting.drawing.scene import Box, Scene
from irrun.reporting.drawing.svg import plain, svg

_FILLS: Final = {
    "product": "#9ec5f8",
    "activation": "#f5b5a8",
    "normalization": "#b5dfb0",
    "pooling": "#9fdcd6",
    "movement": "#dcd3c4",
    "arithmetic": "#f6d58c",
    "sequence": "#cdb8ee",
    "quantization": "#f0b6d6",
    "end": "#c4ccd6",
    "constant": "#e6e6e6",
    "other": "#e2e2ea",
}


def draw(scene: Scene, format: str) -> str:
    """Return a drawing in a format of ``FORMATS``."""
    return FORMATS[format](scene)


def dot(scene: Scene) -> str:
    """Return a drawing for Graphviz; bodies are clusters."""
    head = [
        "digraph model {",
        "  rankdir=TB;",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    return "\n".join([*head, *_dot(scene, "n", "  "), "}", ""])


def _dot(scene: Scene, prefix: str, indent: str) -> Iterator[str]:
    for box in scene.boxes:
        name = f"{prefix}{box.id}"
        label = "\\n".join(filter(None, (_quoted(box.type), _quoted(box.name), _quoted(box.shape))))
        yield f'{indent}{name} [label="{label}", fillcolor="{_FILLS[box.kind]}"];'
        for tag, body in box.bodies:
            yield f"{indent}subgraph cluster_{name}_{tag} {{"
            yield f'{indent}  label="{_quoted(box.name)}: {tag}";'
            yield from _dot(body, f"{name}_{tag}_", f"{indent}  ")
            yield f"{indent}}}"
            for inner in _entries(body):
                yield f"{indent}{name} -> {name}_{tag}_{inner.id} [style=dashed];"
    for line in scene.lines:
        yield f'{indent}{prefix}{line.source} -> {prefix}{line.target} [label="{_quoted(line.shape)}"];'


def _quoted(text: str) -> str:
    return plain(text).replace("\\", "\\\\").replace('"', '\\"')


def mermaid(scene: Scene) -> str:
    """Return a drawing for Mermaid; bodies are subgraphs."""
    kinds = sorted(set(_kinds(scene)))
    classes = [f"  classDef k_{kind} fill:{_FILLS[kind]},stroke:#777,color:#111;" for kind in kinds]
    return "\n".join(["flowchart TD", *_mermaid(scene, "n", "  "), *classes, ""])


def _mermaid(scene: Scene, prefix: str, indent: str) -> Iterator[str]:
    for box in scene.boxes:
        name = f"{prefix}{box.id}"
        lines = [f"<b>{_entity(box.type)}</b>", _entity(box.name), _entity(box.shape)]
        yield f'{indent}{name}["{"<br/>".join(filter(None, lines))}"]:::k_{box.kind}'
        for tag, body in box.bodies:
            yield f'{indent}subgraph {name}_{tag}["{_entity(box.name)}: {tag}"]'
            yield from _mermaid(body, f"{name}_{tag}_", f"{indent}  ")
            yield f"{indent}end"
            for inner in _entries(body):
                yield f"{indent}{name} -.-> {name}_{tag}_{inner.id}"
    for line in scene.lines:
        label = f'|"{_entity(line.shape)}"|' if line.shape else ""
        yield f"{indent}{prefix}{line.source} -->{label} {prefix}{line.target}"


def _entity(text: str) -> str:
    """Return a text with the characters that Mermaid gives a meaning as numbered entities."""
    return re.sub(r"[^\w .,:/+-]", lambda match: f"#{ord(match.group())};", text)


def _entries(body: Scene) -> Iterator[Box]:
    return (box for box in body.boxes if box.type == "Parameter")


def _kinds(scene: Scene) -> Iterator[str]:
    for box in scene.boxes:
        yield box.kind
        for _, body in box.bodies:
            yield from _kinds(body)


FORMATS: Final[dict[str, Callable[[Scene], str]]] = {"dot": dot, "mermaid": mermaid, "svg": svg}
