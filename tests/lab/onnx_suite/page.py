"""The record of ONNX's backend suite, ``docs/data/onnx-suite.json``, and the section that is made from it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.lab import records
from tests.lab.onnx_suite.judging import KINDS, Verdict
from tests.lab.onnx_suite.reasons import REASONS, Reason, reason

RECORD = records.DATA / "onnx-suite.json"
TITLES = {
    "openvino only": "The plugin returns what ONNX publishes, irrun does not",
    "irrun only": "irrun returns what ONNX publishes, the plugin does not",
    "neither": "Neither returns what ONNX publishes",
}
MOST_CAUSES = 12


def summary(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the record of a run: numbers by kind, and the differences of the cases that irrun or the plugin fails."""
    converted = [item for item in verdicts if not item.refused]
    return {
        "kinds": {kind: _numbers([item for item in verdicts if item.kind == kind]) for kind in KINDS},
        "not converted": dict(Counter(cause(item.refused) for item in verdicts if item.refused)),
        "openvino only": {item.name: item.irrun for item in converted if item.irrun and not item.openvino},
        "irrun only": {item.name: item.openvino[-160:] for item in converted if item.openvino and not item.irrun},
        "neither": {item.name: item.irrun for item in converted if item.openvino and item.irrun},
        "alike": [item.name for item in converted if item.openvino and item.irrun and item.alike],
        "findings": {item.name: list(item.findings) for item in converted if item.findings},
    }


def _numbers(verdicts: Sequence[Verdict]) -> dict[str, int]:
    converted = [item for item in verdicts if not item.refused]
    return {
        "cases": len(verdicts),
        "converted": len(converted),
        "irrun": sum(not item.irrun for item in converted),
        "openvino": sum(not item.openvino for item in converted),
    }


def cause(refused: str) -> str:
    """Return the reason for a failed conversion in a few words."""
    type = re.search(r"Unsupported data type (\w+)|type (\w+) expected: BOOL, ", refused)
    rule = re.search(
        r"No conversion rule found for operations: ([\w.:, -]+?)(?= To facilitate| OpenVINO| --|$)", refused
    )
    failed = re.search(r"Conversion is failed for: ([\w., -]+)", refused)
    if type is not None:
        return f"no element type {type[1] or type[2]}"
    if rule is not None:
        return f"no rule for {rule[1]}"
    return f"a form of {failed[1]}" if failed is not None else refused[-80:]


def totals(record: Mapping[str, Any]) -> Counter[str]:
    return sum((Counter(numbers) for numbers in record["kinds"].values()), Counter())


def unexplained(record: Mapping[str, Any]) -> list[str]:
    """Return the cases without a known reason."""
    return [name for group in REASONS for name in record[group] if reason(group, name) is None]


def row() -> str:
    """Return the row of the scoreboard for the suite."""
    all = totals(records.read(RECORD))
    name = "[ONNX's backend suite](#onnxs-backend-suite), cases that OpenVINO converts"
    return f"| {name} | {all['converted']:,} | {all['irrun']:,} | {all['openvino']:,} |"


def section() -> Iterator[str]:
    """Yield the section of the page for the suite."""
    record = records.read(RECORD)
    yield from (
        "",
        "## ONNX's backend suite",
        "",
        f"The cases of the wheel of ONNX {record['onnx']}, converted by OpenVINO {record['openvino']}: an oracle",
        "independent of OpenVINO and irrun. irrun runs each case as written and optimised, and lints it. The expected",
        "outputs are those that ONNX publishes, with the types and the tolerances of ONNX's own runner.",
        "",
        "| kind | cases | converted | irrun | CPU plugin |",
        "|---|---:|---:|---:|---:|",
    )
    for kind, numbers in record["kinds"].items():
        yield f"| {kind} | {' | '.join(f'{number:,}' for number in numbers.values())} |"
    yield f"| **all** | {' | '.join(f'**{number:,}**' for number in totals(record).values())} |"
    for group, title in TITLES.items():
        names = record[group]
        found: dict[Reason | None, list[str]] = defaultdict(list)
        for name in sorted(names):
            found[reason(group, name)].append(f"`{name.partition('/')[2].removeprefix('test_')}`")
        yield from ("", f"### {title} ({len(names)})", "")
        if group == "neither":
            yield f"In {len(record['alike'])} of them irrun and the plugin agree: the conversion changed the model."
            yield ""
        yield from ("| reason | cases | such as |", "|---|---:|---|")
        yield from (
            f"| {item.text} | {len(found[item])} | {found[item][0]} |" for item in REASONS[group] if item in found
        )
    causes = Counter(record["not converted"])
    rest = causes.total() - sum(number for _, number in causes.most_common(MOST_CAUSES))
    yield from ("", f"### Not converted by OpenVINO ({causes.total()})", "", "| cause | cases |", "|---|---:|")
    ranked = sorted(causes.items(), key=lambda item: (-item[1], item[0]))[:MOST_CAUSES]
    yield from (f"| {text} | {number} |" for text, number in ranked)
    yield f"| {len(causes) - len(ranked)} other causes | {rest} |"


def report(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the counts, and the cases that irrun or the plugin fails."""
    for kind, numbers in (*record["kinds"].items(), ("all", totals(record))):
        yield f"{kind:18}" + "".join(f"  {name} {number:5}" for name, number in numbers.items())
    for group, title in TITLES.items():
        yield f"\n{title}:"
        for name, difference in sorted(record[group].items()):
            why = reason(group, name)
            yield f"  {name}: {difference}\n    {why.text if why is not None else 'no reason is known'}"
    yield from _listing("OpenVINO does not convert", record["not converted"])
    yield from _listing("irrun finds a fault", record["findings"])


def _listing(title: str, entries: Mapping[str, object]) -> Iterable[str]:
    return (f"\n{title}:", *(f"  {name}: {value}" for name, value in sorted(entries.items()))) if entries else ()
