"""Show the contents of a model.

Inputs, outputs, operations, constants, opsets and FLOPs. The weights file is not needed.

--graph shows the optimised graph instead, --plan the program that it is lowered to: each call of a compiled kernel, and
why NumPy computes the other steps. Without kernels, --plan shows the steps on NumPy. Compilation options affect both.

\b
Examples:
  irrun info model.xml
  irrun info model.xml --layers
  irrun info model.xml --graph
  irrun info model.xml --plan --shape 'image[1,3,224,224]'
  irrun info model.xml --json
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from irrun.cli import values
from irrun.cli.compiling import compile_options
from irrun.cli.console import note, result
from irrun.cli.extending import extensions
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, shape_option, usual_options, weights_option
from irrun.cli.settings import CommandSettings
from irrun.cli.tables import clipped, columns, listed
from irrun.evaluation.files.naming import reshape
from irrun.model import Loaded, Port, build, load
from irrun.model.flops import Flops
from irrun.model.layers import layers_of
from irrun.model.summary import Summary, summarize

_MOST: Final = 12
"""The limit on notes that are shown."""

_WIDEST: Final = 60


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.option("--layers", "every", is_flag=True, help="List the layers with the shapes of their outputs.")
@click.option("--graph", is_flag=True, help="Show the optimised graph.")
@click.option("--plan", is_flag=True, help="Show the program that runs.")
@shape_option
@weights_option
@compile_options
@usual_options
def command(
    model: Path,
    every: bool,
    graph: bool,
    plan: bool,
    shapes: tuple[str, ...],
    weights: Path | None,
    settings: CommandSettings,
    output_format: str,
) -> None:
    if every and (graph or plan):
        raise click.UsageError("--layers cannot be combined with --graph or --plan")
    loaded = load(model, weights, extensions=extensions())
    loaded, _ = reshape(loaded, shapes)
    say_findings(loaded, model)
    if graph or plan:
        _show_plans(loaded, settings.of(model), output_format, graph=graph, plan=plan)
        return
    summary = summarize(loaded)
    if summary.flops.unknown and not loaded.weights.exists:
        note(f"{model.with_suffix('.bin')} is missing, which may hold sizes that FLOPs depend on")
    layers = list(layers_of(loaded)) if every else []
    if output_format == "json":
        more = {"layer_list": [item._asdict() for item in layers]} if every else {}
        result(values.as_json({**summary.as_dict(), **more}))
        return
    result(_text(summary))
    if every:
        rows = [
            (*map(values.printable, (item.id, item.type, item.path + item.name)), " ".join(item.outputs))
            for item in layers
        ]
        result("\n" + "\n".join(listed([("ID", "TYPE", "NAME", "OUTPUTS"), *rows], columns(), widest=40)))


def _show_plans(loaded: Loaded, config: Mapping[str, Any], output_format: str, *, graph: bool, plan: bool) -> None:
    """Print the optimised graph, the program, or both."""
    from irrun.reporting.plans import as_data, optimized, running
    from irrun.reporting.plans.lines import WIDTH
    from irrun.runtime.tiers import has_kernels

    compiled = build(loaded, {**config, "TIER": "numpy"})
    has_kernels()
    found: dict[str, Any] = {"graph": optimized(compiled)} if graph else {}
    if plan:
        found["plan"] = running(compiled, _why_numpy(config))
    if output_format == "json":
        result(values.as_json({key: as_data(made) for key, made in found.items()}))
    else:
        result("\n\n".join(made.text(columns() or WIDTH) for made in found.values()))


def _why_numpy(config: Mapping[str, Any]) -> str:
    """Return why a model runs on NumPy with these settings; nothing if compiled kernels may run it."""
    from irrun.model.config import read_config

    settings = read_config(config)
    if settings.tier == "numpy":
        return "TIER is numpy"
    return "" if settings.budget.seconds is None else "there is a time limit, which is checked before each layer"


def _text(summary: Summary) -> str:
    rows = [
        ("model", f"{values.printable(summary.name) or 'no name'}, IR version {summary.ir_version or 'not given'}"),
        *_ports("inputs", summary.inputs),
        *_ports("outputs", summary.outputs),
        *(("dynamic" if index == 0 else "", text) for index, text in enumerate(summary.dynamic)),
        *(("layout", f"{values.printable(name)}  {values.printable(text)}") for name, text in summary.layouts.items()),
        *(("mean", f"{values.printable(name)}  {_mean(numbers)}") for name, numbers in summary.means.items()),
        ("layers", f"{summary.layers:,}"),
        *_operations(summary),
        ("constants", f"{summary.constants:,}, {size_text(summary.constant_bytes)}"),
        ("parameters", f"{summary.parameters:,}"),
        ("opsets", ", ".join(summary.opsets) or "none named"),
        *(("OpenVINO" if index == 0 else "", text) for index, text in enumerate(_needs(summary))),
        *(("rt_info" if index == 0 else "", text) for index, text in enumerate(_information(summary))),
        ("FLOPs", _flops(summary.flops)),
        *(("", f"{type} {count:,}") for type, count in summary.flops.by_type.items()),
        *([("MACs", _number(summary.flops.macs))] if summary.flops.by_type else []),
        *([("uncounted", _uncounted(summary.flops))] if summary.flops.uncounted else []),
    ]
    return "\n".join(listed(rows, columns()))


def _information(summary: Summary) -> list[str]:
    """Return the runtime information: how often layers and ports have each kind, and the notes on the model."""
    counted = ", ".join(f"{values.printable(name)} {count:,}" for name, count in summary.info.items())
    notes = list(_notes(summary.notes, ""))
    more = [f"and {len(notes) - _MOST:,} more; --json has them"] if len(notes) > _MOST else []
    return [*([f"of layers and ports: {counted}"] if counted else []), *notes[:_MOST], *more]


def _notes(notes: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, value in notes.items():
        if isinstance(value, Mapping):
            yield from _notes(value, f"{path}{name}/")
        else:
            yield f"{values.printable(path + name)}: {clipped(values.printable(str(value)), _WIDEST)}"


def _ports(title: str, ports: Sequence[Port]) -> list[tuple[str, str]]:
    if not ports:
        return [(title, "none")]
    return [(title if index == 0 else "", _port(port)) for index, port in enumerate(ports)]


def _port(port: Port) -> str:
    text = f"{values.printable(port.any_name)}  {port.element_type}{port.partial_shape}"
    if port.element_type is port.declared_type:
        return text
    return f"{text}  (the file declares {port.declared_type}; as IR version 10 it is read as {port.element_type})"


def _mean(numbers: Sequence[float]) -> str:
    return f"{', '.join(f'{number:g}' for number in numbers) or 'an image'} is subtracted (<pre-process>)"


def _operations(summary: Summary) -> list[tuple[str, str]]:
    width = max((len(f"{count:,}") for count in summary.operations.values()), default=0)
    rows = []
    extensions = {(use.type, use.version): use for use in summary.extensions}
    for (type, version), count in summary.operations.items():
        use = extensions.get((type, version))
        remark = "  (no such operation)" if type in summary.unknown else ""
        remark = remark if use is None else f"  ({use.library or use.internal_to or 'a library'})"
        rows.append(("", f"{count:>{width},} {values.printable(type)} {values.printable(version)}{remark}"))
    return rows


def _needs(summary: Summary) -> list[str]:
    """Return the requirements for reading the file with OpenVINO."""
    internal = [use for use in summary.extensions if use.internal_to is not None]
    if internal:
        return [f"none: {values.printable(use.type)} lives only inside {use.internal_to}" for use in internal]
    layer = f' in "{values.printable(summary.openvino_layer)}"' if summary.openvino_layer else ""
    needed = f"{summary.openvino} or later, for {summary.openvino_for}{layer}"
    lines = ["not known" if summary.openvino is None else needed]
    for name, version in summary.libraries.items():
        written = f", written with {values.printable(version)}" if version is not None else ""
        lines.append(f"with the library {name}{written}")
    unnamed = ", ".join(values.printable(use.type) for use in summary.extensions if use.library is None)
    return [*lines, f"with a library that has {unnamed}: Core.add_extension"] if unnamed else lines


def _flops(flops: Flops) -> str:
    if not flops.by_type and not flops.unknown:
        return "0: no layer whose multiply-adds are counted"
    text = _number(flops.total)
    if flops.assumed:
        text += ", with dynamic dims taken as 1"
    if flops.unknown:
        shown = ", ".join(f'"{values.printable(name)}"' for name in flops.unknown[:3])
        more = f" and {len(flops.unknown) - 3} more" if len(flops.unknown) > 3 else ""
        text += f", without {shown}{more}, of whose shapes too little is known"
    return text


def _uncounted(flops: Flops) -> str:
    return ", ".join(f"{values.printable(type)} {count:,}" for type, count in flops.uncounted.items())


def _number(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{_short(count)} ({count:,})"


def _short(number: float) -> str:
    for unit in ("", "k", "M", "G", "T"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} P"


def size_text(count: int) -> str:
    """Format a number of bytes with a suitable unit."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{count:,} bytes" if unit == "bytes" else f"{size:.1f} {unit} ({count:,} bytes)"
        size /= 1024
    return f"{size:.2f} GiB ({count:,} bytes)"
