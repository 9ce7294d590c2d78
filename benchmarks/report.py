"""The report: lines for a terminal, and Markdown."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import Any, Final

import numpy as np
from engines import PACKAGES
from exports import EIGHT_BITS, LENGTHS, MODELS, NETWORK, PROMPTS, STARTED, TINY, TOKENS
from packaging.requirements import Requirement

Results = Mapping[str, Mapping[str, Any]]
Busy = Mapping[str, Mapping[int, Mapping[str, Mapping[str, float]]]]
"""Milliseconds by model, number of busy neighbours, and engine."""

OWN_MODEL: Final = Path(__file__).with_name("own_model.md")
"""The text that tells users to measure models of their own."""

TITLES: Final = {
    "irrun": "irrun",
    "irrun-bf16": "irrun in bf16",
    "irrun-numpy": "irrun on NumPy",
    "openvino": "OpenVINO f32",
    "openvino-default": "OpenVINO by default",
    "onnxruntime": "ONNX Runtime",
    "onnx.reference": "onnx.reference",
}

GROUPS: Final = {
    NETWORK: "Networks",
    EIGHT_BITS: "Networks in eight bits",
    LENGTHS: "Another length in each call",
    TOKENS: "Language models: a token",
    PROMPTS: "Language models: a prompt",
    TINY: "Tiny models",
}

TIERS: Final = {"irrun": "compiled", "irrun-numpy": "NumPy"}

OTHERS: Final = ("openvino", "onnxruntime")
"""The engines of f32, of whose times a ratio takes the shorter."""

MEMORY: Final = "memory"
"""Beside the records of engines: the bytes of weights that a token reads, and those that a copy moves in a second."""

CLOSE: Final = 1e-3
ROUGH: Final = 0.1
"""Relative differences from OpenVINO in f32 that a terminal shows, of f32 and of bf16."""

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
            if _version("irrun-kernels" if extra else package) is not None
        ),
    }


@cache
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


def ratio(engines: Mapping[str, Any], *others: str, ours: str = "irrun") -> float | None:
    """The median of irrun divided by that of the fastest of other engines; None if there are no figures."""
    own, *theirs = (engines.get(name, {}).get("median_ms") for name in (ours, *(others or OTHERS)))
    known = [value for value in theirs if value is not None]
    return None if own is None or not known else own / min(known)


def line(name: str, engines: Mapping[str, Any]) -> str:
    """Return the line of a model for a terminal."""
    cells = [f"{TITLES[engine]} {_time(record)}" for engine, record in engines.items() if engine in TITLES]
    known = ratio(engines)
    errors = [f"\n    {engine}: {record['error']}" for engine, record in engines.items() if "error" in record]
    wrong = [
        f"\n    {engine} differs from OpenVINO by {_error(record):.1e}"
        for engine, record in engines.items()
        if _error(record) > (ROUGH if engine in HALF else CLOSE)
    ]
    errors += wrong
    return f"{name:28} {'   '.join(cells)}{'' if known is None else f'   ratio {known:.2f}'}{''.join(errors)}"


def _error(record: Mapping[str, Any]) -> float:
    """The relative difference from OpenVINO in f32; infinite if shapes differ."""
    if "agreement" not in record:
        return 0.0
    found = record["agreement"]
    return np.inf if found is None else float(found["relative"])


def markdown(conditions: Mapping[str, str], results: Results, busy: Busy) -> str:
    parts = [
        "# Performance",
        "",
        "Made by `python benchmarks/compare.py`, which measures all engines in turns in one run, on the same inputs",
        "and with the same number of threads. Times are medians; the spread is half the distance of the quartiles, in",
        "per cent. Ratios are irrun ÷ the faster of OpenVINO f32 and ONNX Runtime: below 1, irrun is faster.",
        "Measured apart: [text generation](measurements/text-speed.md),",
        "[the time to the first answer](measurements/opening.md), the least of several starts,",
        "[latency beside busy programs](measurements/neighbours.md), and",
        "[a processor with AVX-512 and bf16](measurements/avx512.md).",
        "",
        *(f"* {name}: {value}" for name, value in conditions.items()),
        "",
        "![irrun's time divided by that of the faster of OpenVINO and ONNX Runtime](performance.svg)",
        "",
        "## Latency in milliseconds",
        "",
        *_latency(results),
        *_bandwidth(results),
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
        "The largest difference of any output value, relative to the largest magnitude of that output:",
        "",
        *_agreement(results, "relative"),
        "",
        "The largest difference itself:",
        "",
        *_agreement(results, "absolute"),
        "",
        OWN_MODEL.read_text(encoding="utf-8"),
        "## The models",
        "",
        "Modules of torchvision, timm, transformers and diffusers at real size, with random seeded weights, converted",
        "by `openvino.convert_model` (f32) and `torch.onnx.export`; language models by optimum-intel, their weights",
        "compressed by `nncf.compress_weights` (int8 asymmetric; int4 asymmetric in groups of 64).",
        "",
        *(f"* {name}: {MODELS[name].note}" for name in results),
        "",
    ]
    return "\n".join(parts)


def _latency(results: Results) -> list[str]:
    """A table for each group of models, with the means of its ratios."""
    lines = []
    for group, title in GROUPS.items():
        members = {name: record for name, record in results.items() if MODELS[name].group == group}
        if members:
            lines += [f"### {title}", "", *_times(members), *_means(members), ""]
    return lines


def _times(results: Results) -> list[str]:
    engines = [name for name in TITLES if any(name in record for record in results.values())]
    tiers = [name for name in TIERS if name in engines]
    slowest = [
        name for name in ("irrun", "openvino") if any("p99_ms" in each.get(name, {}) for each in results.values())
    ]
    compared = {f"ratio, {TIERS[tier]}": (tier, *OTHERS) for tier in tiers}
    if "onnxruntime" in engines and "irrun" in engines:
        compared |= {f"irrun ÷ {TITLES[other]}": ("irrun", other) for other in OTHERS}
    if "onnx.reference" in engines:
        compared |= {f"{TITLES[tier]} ÷ onnx.reference": (tier, "onnx.reference") for tier in tiers}
    rows = []
    for name, record in results.items():
        times = [_time(record[engine]) if engine in record else "" for engine in engines]
        ratios = [ratio(record, *others, ours=ours) for ours, *others in compared.values()]
        tails = [_digits(record[engine]["p99_ms"]) if "p99_ms" in record.get(engine, {}) else "" for engine in slowest]
        rows.append([name, *times, *map(_number, ratios), *tails])
    heads = [*(TITLES[name] for name in engines), *compared, *(f"{TITLES[name]}, p99" for name in slowest)]
    return table(["model", *heads], rows)


def _means(results: Results) -> list[str]:
    lines = []
    for tier in TIERS:
        known = [value for record in results.values() if (value := ratio(record, ours=tier)) is not None]
        if len(known) > 1:
            mean = statistics.geometric_mean(known)
            what = f"Geometric mean of the ratio of the {TIERS[tier]} tier over {len(known)} models"
            lines += ["", f"{what}: **{mean:.2f}**, the largest {max(known):.2f}."]
    return lines


def _bandwidth(results: Results) -> list[str]:
    """The share of the memory's bandwidth that the tokens of language models reach."""
    rows = []
    for name, record in results.items():
        if MEMORY not in record:
            continue
        memory = record[MEMORY]
        cells = [name, f"{memory['weights'] / 2**20:.0f}"]
        for engine in ("irrun", "openvino"):
            median = record.get(engine, {}).get("median_ms")
            rate = None if median is None else 1000 * memory["weights"] / median
            cells.append("" if rate is None else f"{rate / 1e9:.1f} ({100 * rate / memory['copied']:.0f} %)")
        rows.append([*cells, f"{memory['copied'] / 1e9:.1f}"])
    if not rows:
        return []
    heads = ["model", "weights of a token, MiB", "irrun, GB/s", "OpenVINO, GB/s", "a copy, GB/s"]
    return [
        "## Bandwidth of tokens",
        "",
        "A token reads all weights once; the cache of keys and values is not counted. A copy of arrays by as many",
        "threads reads and writes.",
        "",
        *table(heads, rows),
        "",
    ]


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
    """The cold start and its ratio to that of OpenVINO, and the first inference in it."""
    engines = [name for name in TITLES if any("start_ms" in record.get(name, {}) for record in results.values())]
    starts, firsts, ratios = [], [], {}
    for name, record in results.items():
        records = [record.get(engine, {}) for engine in engines]
        ours, theirs = (record.get(engine, {}).get("start_ms") for engine in ("irrun", "openvino"))
        if ours is not None and theirs is not None:
            ratios[name] = ours / theirs
        starts.append([name, *(_whole(each.get("start_ms")) for each in records), _number(ratios.get(name))])
        firsts.append([name, *(_whole(each.get("first_ms")) for each in records)])
    heads = ["model", *(TITLES[name] for name in engines)]
    return [
        *table([*heads, f"irrun ÷ {TITLES['openvino']}"], starts),
        *mean_starts(ratios),
        "",
        "The first inference alone; later ones differ from it by what an engine prepares in it:",
        "",
        *table(heads, firsts),
    ]


def mean_starts(ratios: Mapping[str, float]) -> list[str]:
    """The geometric mean of the ratios of starts for each group of models."""
    lines = []
    for group, names in STARTED.items():
        known = [ratios[name] for name in names if name in ratios]
        if known:
            mean = statistics.geometric_mean(known)
            lines += ["", f"Geometric mean over {len(known)} {group}: **{mean:.2f}**, the largest {max(known):.2f}."]
    return lines


def _neighbours(busy: Busy) -> list[str]:
    """Latency while other programs keep processors busy."""
    if not busy:
        return []
    rows = []
    for name, counts in busy.items():
        for count, engines in counts.items():
            medians, slowest = ([times[key] for times in engines.values()] for key in ("median_ms", "p99_ms"))
            ratios = [medians[0] / other for other in medians[1:]]
            rows.append([name, str(count), *map(_digits, medians), *map(_number, ratios), *map(_digits, slowest)])
    own, *others = next(iter(next(iter(busy.values())).values()))
    heads = [own, *others, *(f"{own} ÷ {other}" for other in others), *(f"{name}, p99" for name in (own, *others))]
    return [
        "## Beside busy programs, latency in milliseconds",
        "",
        "The number of threads is that which each engine chooses; p99 is the 99th percentile.",
        "",
        *table(["model", "busy programs", *heads], rows),
        "",
    ]


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


def _agreement(results: Results, kind: str) -> list[str]:
    others = [name for name in TITLES if name != "openvino" and any(name in record for record in results.values())]
    rows = []
    for name, record in results.items():
        found = (record.get(other, {}).get("agreement") for other in others)
        rows.append([name, *("" if each is None else f"{each[kind]:.1e}" for each in found)])
    return table(["model", *(TITLES[name] for name in others)], rows)


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
