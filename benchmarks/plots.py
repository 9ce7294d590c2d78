"""The plots of the report, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
from report import HALF, TITLES, Results, ratio


def svg(results: Results) -> str:
    """Bars of irrun's time divided by that of the faster other engine, on a logarithmic scale with a line at 1."""
    known = [(name, value) for name, record in results.items() if (value := ratio(record)) is not None]
    left, right, high, top = 200, 60, 22, 40
    width = 760
    most = max([2.0, *(value for _, value in known)]) * 1.1
    least = min([0.5, *(value for _, value in known)]) / 1.1

    def place(value: float) -> float:
        return left + (width - left - right) * float(np.log(value / least) / np.log(most / least))

    ticks = [value for value in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if least <= value <= most]
    bottom = top + high * len(known)
    style = "text{font:12px sans-serif;fill:#444}.n{text-anchor:end}.m{text-anchor:middle}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 40}" width="{width}">',
        f"<style>{style}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{left}" y="20">irrun ÷ the faster of OpenVINO and ONNX Runtime (below 1, irrun is faster)</text>',
    ]
    for value in ticks:
        x = place(value)
        colour = "#c33" if value == 1 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" y1="{top - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(f'<text class="m" x="{x:.1f}" y="{bottom + 18}">{value:g}</text>')
    for index, (name, value) in enumerate(known):
        y = top + high * index
        begin, end = sorted((place(1.0), place(value)))
        colour = "#2a7" if value <= 1 else "#47a"
        parts.append(f'<text class="n" x="{left - 8}" y="{y + 14}">{escape(name)}</text>')
        bar = f'x="{begin:.1f}" y="{y + 3}" width="{max(end - begin, 1):.1f}" height="{high - 7}"'
        parts.append(f'<rect {bar} fill="{colour}"/>')
        parts.append(f'<text x="{end + 5:.1f}" y="{y + 14}">{value:.2f}</text>')
    return "\n".join([*parts, "</svg>", ""])


def precision_svg(results: Results) -> str:
    """Points of error against time, relative to OpenVINO in f32, both on logarithmic scales.

    A line joins the two engines of a model.
    """
    pairs = []
    for record in results.values():
        errors = [(record.get(name, {}).get("agreement") or {}).get("relative") for name in HALF]
        points = list(zip([ratio(record, "openvino", ours=name) for name in HALF], errors, strict=True))
        if all(time and error for time, error in points):
            pairs.append([(float(time or 0), float(error or 0)) for time, error in points])
    width, height, left, top, bottom = 760, 420, 90, 40, 50
    limits = [_decades([point[axis] for pair in pairs for point in pair], step) for axis, step in ((0, 2.0), (1, 10.0))]

    def place(point: tuple[float, float]) -> tuple[float, float]:
        share = [np.log(value / low) / np.log(high / low) for value, (low, high) in zip(point, limits, strict=True)]
        return left + (width - left - 30) * float(share[0]), height - bottom - (height - bottom - top) * float(share[1])

    style = "text{font:12px sans-serif;fill:#444}.n{text-anchor:end}.m{text-anchor:middle}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        f"<style>{style}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{left}" y="20">error of bf16 against time, both relative to OpenVINO in f32</text>',
    ]
    for axis, step in ((0, 2.0), (1, 10.0)):
        value, (_, most) = limits[axis][0], limits[axis]
        while value <= most * 1.001:
            x, y = place((value, limits[1][0]) if axis == 0 else (limits[0][0], value))
            end = f'x2="{x:.1f}" y2="{top}"' if axis == 0 else f'x2="{width - 30}" y2="{y:.1f}"'
            parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" {end} stroke="#ddd"/>')
            kind, across, down = ("m", x, y + 18) if axis == 0 else ("n", x - 8, y + 4)
            parts.append(f'<text class="{kind}" x="{across:.1f}" y="{down:.1f}">{value:g}</text>')
            value *= step
    colours = ("#2a7", "#888")
    for pair in pairs:
        (x, y), (u, v) = map(place, pair)
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="#ccc"/>')
        for (across, down), colour in zip(((x, y), (u, v)), colours, strict=True):
            parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" fill="{colour}"/>')
    for index, (name, colour) in enumerate(zip(HALF, colours, strict=True)):
        parts.append(f'<circle cx="{left + 10 + 160 * index}" cy="{height - 14}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{left + 20 + 160 * index}" y="{height - 10}">{TITLES[name]}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _decades(values: Sequence[float], step: float) -> tuple[float, float]:
    """The powers of a step below and above all values."""
    logs = [np.log(value) / np.log(step) for value in values] or [0.0]
    return float(step ** np.floor(min(logs))), float(step ** np.ceil(max(logs) + 1e-9))
