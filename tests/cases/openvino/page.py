"""The section of docs/conformance.md on OpenVINO's own tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.cases.openvino import Kind, reasons, recorded, sources

_NAMED: Mapping[Kind, str] = {"shapes": "shape rules", "values": "values"}


def section() -> Iterator[str]:
    yield from (
        "",
        "## OpenVINO's own tests",
        "",
        "The numbers of OpenVINO's tests in C++ are cases too (`tests/cases/openvino/`): types, shapes, attributes and",
        "values of the graphs that they build, each with its file and release, and no text of theirs. A shape rule",
        "is a layer of a test that passes on the installed release, with what that infers, or null where it refuses;",
        "irrun must return the same types and sizes within the same bounds, or refuse it. Values must agree as closely",
        "as the tests print them.",
        "",
        "| | cases | repetitions by type counted once | files | irrun departs, for a reason |",
        "|---|---:|---:|---:|---:|",
    )
    listed = {kind: reasons(kind) for kind in _NAMED}
    for kind, name in _NAMED.items():
        head, departing = sources(kind), sum(map(len, listed[kind].values()))
        cells = [f"{number:,}" for number in (len(recorded(kind)), head["apart from types"], head["files"], departing)]
        yield f"| {name}, `{head['folder']}`, {head['release']} | {' | '.join(cells)} |"
    yield from ("", "| why irrun departs | shape rules | values |", "|---|---:|---:|")
    for why in dict.fromkeys([*listed["shapes"], *listed["values"]]):
        counts = [len(of_kind.get(why, ())) for of_kind in listed.values()]
        yield f"| {why} | {counts[0]} | {counts[1]} |"
    yield from ("", "| left out | shape rules | values |", "|---|---:|---:|")
    left = {kind: sources(kind)["left out"] for kind in _NAMED}
    for why in dict.fromkeys([*left["shapes"], *left["values"]]):
        yield f"| {why} | {left['shapes'].get(why, 0):,} | {left['values'].get(why, 0):,} |"
