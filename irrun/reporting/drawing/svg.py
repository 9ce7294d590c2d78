"""Drawings as SVG, for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from irrun.reporting.drawing.layout import GraphLayout, Point, Size, layered
from irrun.reporting.drawing.scene import Box, Scene

HEIGHT: Final = 36.0
_LETTER: Final = 7.0
_SMALL: Final = 5.6
_LEAST: Final = 56.0
_MARGIN: Final = 14.0
_TITLE: Final = 20.0
_STUB: Final = 12.0
_STRAIGHT: Final = 0.5

_STYLE: Final = """
svg { font: 12px system-ui, sans-serif; background: #fff; --ink: #1b1f24; --line: #8b949e; --frame: #c8ced6; }
.box { stroke: var(--line); rx: 5px; } text { fill: var(--ink); text-anchor: middle; } .shape { font-size: 10px; }
path { fill: none; stroke: var(--line); stroke-width: 1.2; } .cut { stroke-dasharray: 2 3; }
.frame { fill: none; stroke: var(--frame); stroke-dasharray: 5 3; rx: 7px; } .title { text-anchor: start; }
.product { fill: #cfe2ff; } .activation { fill: #fbd9d1; } .normalization { fill: #d3efcf; }
.pooling { fill: #cdeeea; } .movement { fill: #ece6db; } .arithmetic { fill: #fbeac2; } .sequence { fill: #e4d8f7; }
.quantization { fill: #f8d9e9; } .end { fill: #dde3ea; } .constant { fill: #f0f0f0; } .other { fill: #ececf2; }
@media (prefers-color-scheme: dark) {
svg { background: #14171c; --ink: #e6e9ee; --line: #7d8590; --frame: #434a54; }
.product { fill: #1d3a66; } .activation { fill: #5c2a22; } .normalization { fill: #214a24; }
.pooling { fill: #14494a; } .movement { fill: #3f3a31; } .arithmetic { fill: #54431a; } .sequence { fill: #412f63; }
.quantization { fill: #5a2846; } .end { fill: #363d47; } .constant { fill: #2c2f35; } .other { fill: #32343f; }
}
""".strip()


def svg(scene: Scene) -> str:
    """Return a drawing as SVG; bodies are inside of their layers."""
    content, (width, height) = _drawn(scene)
    whole = (width + 2 * _MARGIN, height + 2 * _MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]:.0f} {whole[1]:.0f}" '
        f'width="{whole[0]:.0f}" height="{whole[1]:.0f}">'
    )
    inside = f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">'
    return "\n".join([head, f"<style>{_STYLE}</style>", inside, *content, "</g>", "</svg>", ""])


def box_size(box: Box) -> Size:
    """Return the size of a node without its bodies."""
    return max(_LEAST, 16 + _LETTER * len(box.type), 14 + _SMALL * len(box.shape)), HEIGHT


def path_text(points: Sequence[Point]) -> str:
    """Return the path of an edge: straight through ranks, and curved between them."""
    x, y = points[0]
    parts = [f"M{x:.1f} {y:.1f}"]
    for u, v in points[1:]:
        if abs(u - x) < _STRAIGHT and v - y < _STRAIGHT:
            continue
        if abs(u - x) < _STRAIGHT:
            parts.append(f"L{u:.1f} {v:.1f}")
        else:
            middle = (y + v) / 2
            parts.append(f"C{x:.1f} {middle:.1f} {u:.1f} {middle:.1f} {u:.1f} {v:.1f}")
        x, y = u, v
    return "".join(parts)


def _drawn(scene: Scene) -> tuple[list[str], Size]:
    """Return the elements of a drawing, and its size."""
    bodies = {box.id: [(tag, *_drawn(body)) for tag, body in box.bodies] for box in scene.boxes}
    sizes = {box.id: _with_bodies(box, [size for _, _, size in bodies[box.id]]) for box in scene.boxes}
    layout = layered(sizes, [(line.source, line.target) for line in scene.lines])
    content = list(_edges(layout, sizes))
    for box in scene.boxes:
        (x, y), (width, height) = layout.places[box.id], sizes[box.id]
        content += _box(box, x - width / 2, y - height / 2, width, height)
        left, top = x - width / 2 + _MARGIN, y - height / 2 + HEIGHT
        for tag, inside, size in bodies[box.id]:
            content.append(f'<g transform="translate({left:.1f} {top:.1f})">')
            content.append(
                f'<rect class="frame" x="-6" y="-2" width="{size[0] + 12:.1f}" height="{size[1] + 24:.1f}"/>'
            )
            content.append(f'<text class="title" x="2" y="12">{tag}</text>')
            content += [f'<g transform="translate(0 {_TITLE:.0f})">', *inside, "</g>", "</g>"]
            left += size[0] + _MARGIN + 10
    return content, layout.size


def _with_bodies(box: Box, bodies: Sequence[Size]) -> Size:
    width, height = box_size(box)
    if not bodies:
        return width, height
    inside = sum(size[0] for size in bodies) + (_MARGIN + 10) * (len(bodies) - 1)
    return max(width, inside + 2 * _MARGIN), height + max(size[1] for size in bodies) + _TITLE + _MARGIN


def _edges(layout: GraphLayout, sizes: dict[int, Size]) -> Iterator[str]:
    for source, ways in layout.trunks.items():
        (x, y), rank = layout.places[source], layout.ranks[source]
        points = [(x, y + sizes[source][1] / 2), (x, layout.bottoms[rank])]
        for step, at in enumerate(ways, rank + 1):
            points += [(at, layout.tops[step]), (at, layout.bottoms[step])]
        yield f'<path d="{path_text(points)}"/>'
    for source, target in layout.edges:
        (x, y), (u, v) = layout.places[source], layout.places[target]
        rank, before = layout.ranks[source], layout.ranks[target] - 1
        points = [(x, y + sizes[source][1] / 2), (x, layout.bottoms[rank])]
        if before > rank:
            points = [(layout.trunks[source][before - rank - 1], layout.bottoms[before])]
        yield f'<path d="{path_text([*points, (u, layout.tops[before + 1]), (u, v - sizes[target][1] / 2)])}"/>'
    for source, target in layout.interrupted:
        (x, y), (u, v) = layout.places[source], layout.places[target]
        begin, end = y + sizes[source][1] / 2, v - sizes[target][1] / 2
        yield f'<path class="cut" d="M{x + 8:.1f} {begin:.1f}v{_STUB}M{u - 8:.1f} {end - _STUB:.1f}v{_STUB}"/>'


def _box(box: Box, left: float, top: float, width: float, height: float) -> Iterator[str]:
    yield f"<g><title>{escape(plain(f'{box.type} {box.name}'))}</title>"
    yield (f'<rect class="box {box.kind}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>')
    middle = left + width / 2
    yield f'<text x="{middle:.1f}" y="{top + 15:.1f}">{escape(plain(box.type))}</text>'
    yield f'<text class="shape" x="{middle:.1f}" y="{top + 29:.1f}">{escape(box.shape)}</text></g>'


def plain(text: str) -> str:
    """Return a text without characters that XML does not allow, or that control a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
