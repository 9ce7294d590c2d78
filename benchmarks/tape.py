"""The time of each call of a compiled program, with one worker and with two, by the clock of the processor.

Examples:
  python benchmarks/tape.py benchmarks/.models/resnet50/model.xml
  python benchmarks/tape.py benchmarks/.models/mobilenet-v2/model.xml --top 40 --workers 1,2,4
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

import irrun.model
from irrun.runtime.instance import Instance
from irrun.runtime.lower import lower
from irrun.runtime.program import Program
from irrun.runtime.request import Request
from irrun.runtime.view import Buffer, Call, Interpreted, View
from irrun_kernels.native import Address
from irrun_kernels.stamp import Stamp, stamp

SIZES: Final = ("columns", "rows", "images", "width", "depth", "filters", "channels", "points", "tiles", "pixels")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--top", type=int, default=25)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    options = parser.parse_args()
    compiled = irrun.model.build(irrun.model.load(options.model), {"INFERENCE_PRECISION_HINT": options.precision})
    program = lower(compiled.plan, WeakValueDictionary())
    if program.is_open or any(program.preludes):
        raise SystemExit(f"{options.model} has variables or open sizes")
    counts = [int(count) for count in options.workers.split(",")]
    stamped, times = with_stamps(program)
    with np.load(options.model.with_suffix(".npz")) as archive:
        inputs = [archive[f"0:{one.any_name}"] for one in compiled.inputs]
    instance = Instance(stamped, max(counts))
    columns = [measured(instance, inputs, times, count, options.runs) for count in counts]
    show(program, counts, columns, options.top)


def with_stamps(program: Program) -> tuple[Program, Any]:
    """The program with a stamp in front of each item and behind the last, and the times that they write."""
    times = np.zeros(len(program.items) + 1, np.int64)
    buffer = len(program.buffers)
    stamps = [
        Call(stamp, stamp.flat(Stamp(Address(buffer, 8 * number))), 1, 0, {})
        for number in range(len(program.items) + 1)
    ]
    items: list[Call | Interpreted] = [stamps[0]]
    for item, behind in zip(program.items, stamps[1:], strict=True):
        items += [item, behind]
    buffers = (*program.buffers, Buffer("constant", times.nbytes, times))
    return replace(program, items=tuple(items), buffers=buffers), times


def measured(instance: Instance, inputs: list[Any], times: Any, count: int, runs: int) -> Any:
    """The microseconds of each item: the first decile of several runs."""
    samples = []
    began, first = time.perf_counter_ns(), cycles_now(instance, inputs, times, count)
    for _ in range(runs):
        instance.run(Request(inputs), count)
        samples.append(np.diff(times))
    rate = (times[-1] - first) / (time.perf_counter_ns() - began) * 1000
    return np.percentile(samples, 10, axis=0) / rate


def cycles_now(instance: Instance, inputs: list[Any], times: Any, count: int) -> int:
    instance.run(Request(inputs), count)
    return int(times[0])


def show(program: Program, counts: list[int], columns: list[Any], top: int) -> None:
    names = [item.kernel.name if isinstance(item, Call) else item.step.node.type for item in program.items]
    sums: dict[str, Any] = defaultdict(lambda: np.zeros(1 + len(counts)))
    for number, name in enumerate(names):
        sums[name] += [1, *(column[number] for column in columns)]
    head = "".join(f"{f'{count} workers':>12}" for count in counts)
    print(f"{'kernel':20} {'calls':>6}{head}   (microseconds)")
    for name, row in sorted(sums.items(), key=lambda pair: -pair[1][-1]):
        print(f"{name:20} {row[0]:6.0f}" + "".join(f"{value:12.0f}" for value in row[1:]))
    print(f"{'all':20} {len(names):6}" + "".join(f"{column.sum():12.0f}" for column in columns))
    print()
    for number in sorted(range(len(names)), key=lambda index: -columns[-1][index])[:top]:
        times = "".join(f"{column[number]:9.1f}" for column in columns)
        print(f"{number:5} {names[number]:16} {times}   {description(program.items[number], columns[0][number])}")


def description(item: Call | Interpreted, microseconds: float) -> str:
    if isinstance(item, Interpreted):
        return f"{item.reason}: " + " ".join(str(x.shape) for x in item.inputs if isinstance(x, View | np.ndarray))
    names = item.kernel.record.names or ()
    fields = dict(zip((name.removeprefix("geometry_") for name in names), item.arguments, strict=True))
    text = " ".join(
        f"{name}={fields[name]}" for name in fields if name in SIZES or name.startswith(("size_", "counts_", "taps_"))
    )
    if item.kernel.name == "product":
        taps = fields["taps_1"] * fields["taps_2"]
        work = fields["images"] * fields["counts_1"] * fields["counts_2"] * taps * fields["depth"] * fields["filters"]
        batch = max(1, -(-item.tasks // fields["cut_tasks"]))
        text += f" function={fields['epilogue_function']} {2e-3 * work * batch / microseconds:.0f} GFLOP/s"
    return f"tasks={item.tasks} {text}"


if __name__ == "__main__":
    main()
