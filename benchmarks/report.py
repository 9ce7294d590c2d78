"""The report: lines for a terminal, Markdown and a plot."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import numpy as np
from engines import PACKAGES
from nets import LANGUAGE, LARGE, MODELS, SMALL
from packaging.requirements import Requirement

Results = Mapping[str, Mapping[str, Any]]
Busy = Mapping[str, Mapping[int, Mapping[str, float]]]
"""Milliseconds by model, number of busy neighbours, and engine."""

TITLES: Final = {
    "irrun": "irrun",
    "irrun-bf16": "irrun in bf16",
    "irrun-numpy": "irrun on NumPy",
    "openvino": "OpenVINO f32",
    "openvino-default": "OpenVINO by default",
    "onnxruntime": "ONNX Runtime",
    "onnx.reference": "onnx.reference",
}

TIERS: Final = {"irrun": "compiled", "irrun-numpy": "NumPy"}

HALF: Final = ("irrun-bf16", "openvino-default")
"""The engines that round to bf16, the second one where the processor has it."""


def machine(threads: int, results: Results) -> dict[str, str]:
    """Under what conditions it was measured."""
    pools = [engines["irrun"]["blas"] for engines in results.values() if engines.get("irrun", {}).get("blas")]
    blas = pools[0][0] if pools and pools[0] else {}
    packages = ("numpy", "irrun-kernels", "openvino", "onnxruntime", "onnx")
    return {
        "processor": f"{_processor()}, {os.cpu_count()} logical CPUs",
        "threads": str(threads),
        "BLAS": f"{blas.get('internal_api', '?')} {blas.get('version', '?')}, {blas.get('architecture', '?')}",
        "Python": platform.python_version(),
        "packages": ", ".join(f"{name} {_version(name)}" for name in packages if _version(name) is not None),
        "installed, with all that it needs": ", ".join(
            f"{package}{extra} {installed_mib(package, extra.strip('[]')):.0f} MiB"
            for package, extra in (("irrun", "[fast]"), *((name, "") for name in dict.fromkeys(PACKAGES.values())))
            if _version(package) is not None
        ),
    }


def installed_mib(package: str, extra: str = "") -> float:
    """The size on disk of a distribution and of the distributions that it requires, those of one extra included."""
    return sum(_size(name) for name in _closure(package, extra, set())) / 2**20


def _closure(package: str, extra: str, seen: set[str]) -> set[str]:
    name = package.lower().replace("_", "-")
    if name in seen or _version(name) is None:
        return seen
    seen.add(name)
    for text in requires(name) or ():
        needed = Requirement(text)
        if needed.marker is None or needed.marker.evaluate({"extra": extra}):
            _closure(needed.name, "", seen)
    return seen


def _size(package: str) -> int:
    files = [Path(str(item.locate())) for item in distribution(package).files or ()]
    return sum(path.stat().st_size for path in files if path.is_file() and path.suffix != ".pyc")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def ratio(engines: Mapping[str, Any], other: str = "openvino", ours: str = "irrun") -> float | None:
    """The median of irrun divided by that of another engine; None if one of them has no figure."""
    own, theirs = (engines.get(name, {}).get("median_ms") for name in (ours, other))
    return None if own is None or theirs is None else own / theirs


def line(name: str, engines: Mapping[str, Any]) -> str:
    """Return the line of a model for a terminal."""
    cells = [f"{TITLES[engine]} {_time(record)}" for engine, record in engines.items()]
    known = ratio(engines)
    errors = [f"\n    {engine}: {record['error']}" for engine, record in engines.items() if "error" in record]
    return f"{name:14} {'   '.join(cells)}{'' if known is None else f'   ratio {known:.2f}'}{''.join(errors)}"


def markdown(conditions: Mapping[str, str], results: Results, busy: Busy) -> str:
    parts = [
        "# Performance",
        "",
        "Made by `python benchmarks/compare.py`, which measures all engines in turns in one run, on the same inputs",
        "and with the same number of threads. Times are medians; the spread is half the distance of the quartiles, in",
        "per cent. Ratios are irrun ÷ OpenVINO f32: below 1, irrun is faster.",
        "",
        *(f"* {name}: {value}" for name, value in conditions.items()),
        "",
        "![irrun's time divided by OpenVINO's](performance.svg)",
        "",
        "## Latency in milliseconds",
        "",
        *_latency(results),
        "",
        *_precision(results),
        "## Reading and compiling in milliseconds, peak resident memory in MiB",
        "",
        "The memory is that of the process at its peak.",
        "",
        *_cost(results),
        "",
        "## From the start of the process to the first answer, in milliseconds",
        "",
        "Interpreter, imports, reading, compiling and one inference; files are in the cache of the system.",
        "",
        *_starts(results),
        "",
        *_neighbours(busy),
        "## Agreement with OpenVINO",
        "",
        "The largest difference of any output value; relative to the largest magnitude of that output.",
        "",
        *_agreement(results),
        "",
        "## The models",
        "",
        "Real architectures at real size; the weights are random, of a scale that keeps activations finite.",
        "",
        *(f"* {name}: {MODELS[name].note}" for name in results),
        "",
    ]
    return "\n".join(parts)


def _latency(results: Results) -> list[str]:
    engines = [name for name in TITLES if any(name in record for record in results.values())]
    tiers = [name for name in TIERS if name in engines and "openvino" in engines]
    rows = []
    for name, record in results.items():
        times = [_time(record[engine]) if engine in record else "" for engine in engines]
        faster = [ratio(record, "onnx.reference", tier) for tier in tiers]
        ratios = [_number(ratio(record, ours=tier)) for tier in tiers]
        rows.append([name, *times, *ratios, *("" if value is None else f"{1 / value:.1f}" for value in faster)])
    heads = [TITLES[name] for name in engines]
    for what in ("ratio", "times faster than onnx.reference"):
        heads += [f"{what}, {TIERS[tier]}" for tier in tiers]
    lines = table(["model", *heads], rows)
    for group in (LARGE, SMALL, LANGUAGE):
        members = {name: record for name, record in results.items() if MODELS[name].group == group}
        for tier in tiers:
            known = {name: value for name, record in members.items() if (value := ratio(record, ours=tier)) is not None}
            if known:
                mean = statistics.geometric_mean(known.values())
                what = f"Geometric mean of the ratio of the {TIERS[tier]} tier over {', '.join(known)}"
                lines += ["", f"{what}: **{mean:.2f}**, the largest {max(known.values()):.2f}."]
    return lines


def _precision(results: Results) -> list[str]:
    """Time and error of the engines that round to bf16."""
    rows, times, errors = [], [], []
    for name, record in results.items():
        pair = [record.get(engine, {}) for engine in HALF]
        if any(not half.get("agreement") or "median_ms" not in half for half in pair):
            continue
        quick = pair[0]["median_ms"] / pair[1]["median_ms"]
        ours, theirs = (half["agreement"]["relative"] for half in pair)
        near = ours / theirs if theirs else None
        times.append(quick)
        errors += [near] if near else []
        rows.append([name, *(_digits(half["median_ms"]) for half in pair), _number(quick)])
        rows[-1] += [f"{ours:.1e}", f"{theirs:.1e}", _number(near)]
    if not rows:
        return []
    heads = [*(f"{TITLES[name]}, ms" for name in HALF), "ratio", *(f"{TITLES[name]}, error" for name in HALF), "ratio"]
    mean = statistics.geometric_mean(times)
    means = f"Geometric mean of the ratio of times: **{mean:.2f}**, the largest {max(times):.2f}"
    if errors:
        means += f"; of errors: **{statistics.geometric_mean(errors):.2f}**, the largest {max(errors):.2f}"
    return [
        "## bf16",
        "",
        "OpenVINO without a setting, beside irrun with `INFERENCE_PRECISION_HINT` bf16. Errors are the largest",
        "difference from OpenVINO in f32, relative to the largest magnitude of that output. Networks in int8 are",
        "computed in integers by OpenVINO in both, which compares it with itself;",
        "[from f64](decisions/0008-integers.md) both engines are equally far.",
        "",
        "![error against time](precision.svg)",
        "",
        *table(["model", *heads], rows),
        "",
        f"{means}.",
        "",
    ]


def _starts(results: Results) -> list[str]:
    engines = [name for name in TITLES if any("start_ms" in record.get(name, {}) for record in results.values())]
    rows = [
        [name, *(_whole(record.get(engine, {}).get("start_ms")) for engine in engines)]
        for name, record in results.items()
    ]
    return table(["model", *(TITLES[name] for name in engines)], rows)


def _neighbours(busy: Busy) -> list[str]:
    """Latency while other programs keep processors busy."""
    if not busy:
        return []
    rows = []
    for name, counts in busy.items():
        for count, times in counts.items():
            best = min(value for engine, value in times.items() if engine.startswith("irrun"))
            rows.append([name, str(count), *map(_digits, times.values()), _number(times["irrun"] / best)])
    engines = next(iter(next(iter(busy.values())).values()))
    heads = ["model", "busy programs", *engines, "irrun ÷ its best"]
    return ["## Beside busy programs, latency in milliseconds", "", *table(heads, rows), ""]


def _cost(results: Results) -> list[str]:
    rows = []
    for name, record in results.items():
        sums = [_sum(record.get(engine, {})) for engine in ("irrun", "openvino")]
        peaks = [record.get(engine, {}).get("peak_mib") for engine in ("irrun", "openvino")]
        cells = [name]
        for ours, theirs in (sums, peaks):
            quotient = None if ours is None or theirs is None else ours / theirs
            cells += [_whole(ours), _whole(theirs), _number(quotient)]
        rows.append(cells)
    heads = ["model", "irrun, ms", "OpenVINO, ms", "ratio", "irrun, MiB", "OpenVINO, MiB", "ratio"]
    return table(heads, rows)


def _sum(record: Mapping[str, Any]) -> float | None:
    return record["read_ms"] + record["compile_ms"] if "read_ms" in record else None


def _agreement(results: Results) -> list[str]:
    others = [name for name in TITLES if name != "openvino" and any(name in record for record in results.values())]
    rows = []
    for name, record in results.items():
        cells = [name]
        for other in others:
            found = record.get(other, {}).get("agreement")
            cells += ["", ""] if found is None else [f"{found['absolute']:.1e}", f"{found['relative']:.1e}"]
        rows.append(cells)
    heads = [f"{TITLES[name]}, {kind}" for name in others for kind in ("absolute", "relative")]
    return table(["model", *heads], rows)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, numbers to the right."""
    rule = ["---", *("---:" for _ in heads[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]


def _time(record: Mapping[str, Any]) -> str:
    if "error" in record:
        return "failed"
    spread = 50 * (record["high_ms"] - record["low_ms"]) / record["median_ms"]
    return f"{_digits(record['median_ms'])} ±{spread:.0f} %"


def _digits(value: float) -> str:
    """Three digits that count."""
    return f"{value:.{max(2 - int(np.floor(np.log10(max(value, 1e-9)))), 0)}f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def svg(results: Results) -> str:
    """Bars of irrun's time divided by OpenVINO's, on a logarithmic scale with a line at 1."""
    known = [(name, value) for name, record in results.items() if (value := ratio(record)) is not None]
    left, right, high, top = 110, 60, 22, 40
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
        f'<text x="{left}" y="20">irrun\'s time divided by OpenVINO\'s (below 1, irrun is faster)</text>',
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
        points = list(zip([ratio(record, ours=name) for name in HALF], errors, strict=True))
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
