"""Comparisons as text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from irrun.cli.tables import aligned, columns, wrapped
from irrun.cli.values import printable
from irrun.diagnostics import amount, listing

_RANGES: Final = 6
"""Ranges of indices that are printed."""


def page(record: Mapping[str, Any]) -> str:
    """Format the comparison of one pair."""
    width = columns()
    rows = [["output", "type", "max", "relative", "cosine", "SNR", "ulp", "beyond", "argmax"]]
    problems = []
    for item in record["outputs"]:
        if item["problem"]:
            head = f'output "{printable(item["name"])}": ' if item["name"] else ""
            problems.append(f"{head}{item['problem']}")
        else:
            rows.append([printable(item["name"]), *_numbers(item)])
    lines = [aligned(rows, left=2, width=width)] if len(rows) > 1 else []
    for problem in problems:
        lines += wrapped(problem, width, 2)
    for item in record["outputs"]:
        for entry in item.get("slices", ()):
            lines += wrapped(f'output "{printable(item["name"])}", {_slices(entry)}', width, 2)
    lines += ["", _verdict(record)]
    for text in _layer(record) if "layers" in record else claims(record):
        lines += wrapped(text, width, 2)
    if record.get("table"):
        lines = [_table(record["table"]), "", *lines]
    return "\n".join(lines).lstrip("\n")


def _numbers(item: Mapping[str, Any]) -> list[str]:
    argmax, cosine = item["argmax"], item["cosine"]
    return [
        f"{item['type']}[{','.join(map(str, item['shape']))}]",
        f"{item['max']:.3g}",
        f"{item['relative']:.2g}",
        "-" if cosine is None else f"{cosine:.7f}",
        _decibels(item["snr"]),
        "-" if item["ulp"] is None else f"{item['ulp']:.3g}",
        _count(item["beyond"], math.prod(item["shape"])),
        "-" if argmax is None else f"{argmax['changed']} of {argmax['rows']}",
    ]


def _count(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" + (f" ({part / whole:.2g})" if 0 < part < whole else "")


def _slices(entry: Mapping[str, Any]) -> str:
    """Format slices of a tensor that differ from the rest."""
    where = f"axis {entry['axis']}, {_ranges(entry['indices'])} of {entry['size']}"
    match entry["kind"]:
        case "zero":
            side = "in the first model" if entry["zero"] == "model" else "on the other side"
            return f"{where}: 0 throughout {side}"
        case "concentrated":
            return f"{where}: {entry['share']:.1%} of the squared error"
    return f"{where}: errors of up to {entry['relative']:.0%} of their own magnitude"


def _ranges(indices: Sequence[int]) -> str:
    """Format indices in ascending order, such as ``3, 5-8``."""
    ranges: list[list[int]] = []
    for index in indices:
        if ranges and index == ranges[-1][1] + 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    shown = [str(low) if low == high else f"{low}-{high}" for low, high in ranges]
    return ", ".join(shown[:_RANGES]) + (", …" if len(shown) > _RANGES else "")


def _verdict(record: Mapping[str, Any]) -> str:
    if record["status"] == "equal":
        is_warned = record["reason"] and record.get("layers", 0) is not None
        return "equal within the tolerances" + (f", but {printable(record['reason'])}" if is_warned else "")
    count, total = sum(item["differs"] for item in record["outputs"]), len(record["outputs"])
    return f"different: {count} of {total} output{'s' if total > 1 else ''}"


def _layer(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the layers tell."""
    layer = record["layer"]
    if record["layers"] is None:
        yield f"the layers cannot be compared: {record['reason']}"
        return
    suspects = record["suspects"]
    if layer is not None and (
        not suspects or any(item[side] == layer[side] for item in suspects for side in ("name", "other"))
    ):
        yield f"first layer that differs: {_named(layer)}"
    if record["status"] != "equal":
        yield from claims(record)


def claims(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the claims of a verdict, a line for each."""
    for suspect in record["suspects"]:
        yield f"suspected: {_suspect(suspect)}"
    if record["verdict"] == "unknown":
        yield f"unknown: {record['reason']}"
    elif not record["suspects"] and record["cause"]:
        yield f"nobody is suspected: {record['cause']}; {record['reason']}"
    if record["cause"] == "quantisation":
        for loss in record["losses"]:
            yield f"loses {loss['error']:.2g}, as expected: {_layers(loss)}, {loss['what']}"


def _suspect(suspect: Mapping[str, Any]) -> str:
    """Format a suspect: its layers, the cause, and what differs."""
    text = f"{_layers(suspect)}, {suspect['cause']}"
    if suspect["what"]:
        text += f": {printable(suspect['what'])}"
    names = [f'"{printable(item)}"' for item in suspect["constants"]]
    if any(name not in text for name in names):
        text += f", constants that differ: {listing(names, 'and')}"
    if suspect.get("between"):
        counts = [amount(len(suspect["between"][side]), "layer") for side in ("model", "other")]
        text += f", in a region of {counts[0]} beside {counts[1]}"
    return text


def _layers(item: Mapping[str, Any]) -> str:
    """Format the layer of each side."""
    name, other = (printable(item[key]) for key in ("name", "other"))
    beside = f' beside "{other}"' if name and other and name != other else ""
    return f'{item["type"]} "{name or other}"{beside}'


def _named(layer: Mapping[str, Any]) -> str:
    by = layer["problem"] or _number(layer)
    changed = [f'"{printable(name)}"' for name in layer["constants"]]
    constants = f", constants that differ: {listing(changed, 'and')}" if changed else ""
    return f'{layer["type"]} "{printable(layer["name"])}", {by}{constants}'


def _number(errors: Mapping[str, Any]) -> str:
    return f"max {errors['max']:.3g}, relative {errors['relative']:.2g}"


def _decibels(value: float) -> str:
    return f"{value:.1f}" if math.isfinite(value) else "-"


def _table(layers: Sequence[Mapping[str, Any]]) -> str:
    """Format a row for each layer; own errors are those with the inputs of the other side."""
    rows = [["layer", "type", "shape", "max", "relative", "own", "cosine", "PSNR", "SNR", "ulp", ""]]
    for item in layers:
        name = item["layer"] if not item["output"] else f"{item['layer']}.{item['output']}"
        shape = f"[{','.join(map(str, item['shape']))}]"
        own = f"{item['own_relative']:.2g}" if "own_relative" in item else "-"
        mark = "errs" if item["errs"] else "differs" if item["differs"] else ""
        if item["problem"]:
            rows.append([printable(name), item["type"], item["problem"], *"----", *"---", mark])
            continue
        cosine = "-" if item["cosine"] is None else f"{item['cosine']:.7f}"
        numbers = [f"{item['max']:.3g}", f"{item['relative']:.2g}", own, cosine]
        ulp = "-" if item["ulp"] is None else f"{item['ulp']:.3g}"
        numbers += [_decibels(item["psnr"]), _decibels(item["snr"]), ulp]
        rows.append([printable(name), item["type"], shape, *numbers, mark])
    return aligned(rows, left=3, width=columns())


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Format a line for each pair: the output that differs most, and the first layer that does."""
    rows = [["pair", "first layer that differs", "result", "relative"]]
    for record in records:
        worst = max((item.get("relative") or 0.0 for item in record["outputs"]), default=0.0)
        problem = next((item["problem"] for item in record["outputs"] if item["problem"]), "")
        layer = record.get("layer")
        what = layer["name"] if layer else problem
        rows.append([record["name"], printable(what), record["status"], f"{worst:.2g}"])
    return aligned(rows, left=2, width=columns())


def inputs_table(records: Sequence[Mapping[str, Any]]) -> str:
    """Format a line for each input of a batch: the output that differs most."""
    rows = [["input", "output", "result", "relative", "cosine", "beyond"]]
    for record in records:
        outputs = record["outputs"]
        problem = next((item for item in outputs if item["problem"]), None)
        if problem is not None:
            rows.append([printable(record["name"]), printable(problem["problem"]), record["status"], "-", "-", "-"])
            continue
        worst = max(outputs, key=lambda item: (item["differs"], item["relative"]))
        cosine = "-" if worst["cosine"] is None else f"{worst['cosine']:.7f}"
        beyond = _count(worst["beyond"], math.prod(worst["shape"]))
        names = [printable(record["name"]), printable(worst["name"])]
        rows.append([*names, record["status"], f"{worst['relative']:.2g}", cosine, beyond])
    return aligned(rows, left=2, width=columns())
