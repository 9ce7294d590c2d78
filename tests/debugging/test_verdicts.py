"""Claims of a comparison, for pairs that are made by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.debugging import blame, compare
from irrun.debugging.cases import layers_of
from irrun.debugging.verdicts import CAUSES, Verdict
from tests.cases import f32
from tests.debugging.pieces import (
    SHIFTS,
    WEIGHTS,
    Build,
    X,
    attention,
    attention_parts,
    group_parts,
    groups,
    halved,
    layer,
    less,
    masked,
    net,
    norm,
    norm_parts,
    nothing,
    product,
    reduced,
    shifted,
    turned,
)

PAIRS: dict[str, tuple[Build, Build, dict[str, Any]]] = {
    "attribute": (norm(1e-6, "n"), norm(0.5, "n"), {"name": "n", "other": "n", "what": "eps 1e-06 beside 0.5"}),
    "other names": (norm(1e-6, "n"), norm(0.5, "m"), {"name": "n", "other": "m", "cause": "attribute"}),
    "constant": (
        product(WEIGHTS, "p"),
        product(WEIGHTS.T * f32(1.5), "p"),
        {"name": "p", "cause": "constant", "constants": ("w",)},
    ),
    "missing": (nothing, layer("Sigmoid", "extra"), {"name": "", "other": "extra", "cause": "missing"}),
    "more": (layer("Sigmoid", "extra"), nothing, {"name": "extra", "other": "", "cause": "missing"}),
    "type": (layer("Sigmoid", "a"), layer("Exp", "a"), {"name": "a", "cause": "type"}),
    "order": (less(False, "c"), less(True, "c"), {"name": "c", "cause": "order"}),
    "exchanged operands": (
        shifted(f32([1, 2, 3, 4]), "a"),
        shifted(f32([1, 2, 3, 5]), "b", first=True),
        {"name": "a", "other": "b", "cause": "constant", "constants": ("b",)},
    ),
    "a layer beside weights in the other order": (
        lambda made, x: product(WEIGHTS, "p")(made, layer("Sigmoid", "extra")(made, x)),
        turned(WEIGHTS, "q"),
        {"name": "extra", "other": "", "cause": "missing"},
    ),
    "weights in the other order": (
        product(WEIGHTS, "p"),
        turned(WEIGHTS + np.eye(4, dtype=np.float32), "q"),
        {"name": "p", "other": "q", "cause": "constant", "constants": ("w",)},
    ),
    "the flag of weights with a factor": (
        product(WEIGHTS, "p"),
        halved(WEIGHTS, "q"),
        {"name": "p", "other": "q", "cause": "attribute", "what": "transpose_b False beside True"},
    ),
    "attention beside its parts": (
        attention("a"),
        attention_parts(-2),
        {
            "type": "ScaledDotProductAttention",
            "name": "a",
            "other": "soft",
            "cause": "attribute",
            "what": "SoftMax: axis -1 beside -2",
            "ids": None,
        },
    ),
    "group normalisation beside its parts": (
        groups,
        group_parts(SHIFTS[::-1], 1e-5),
        {"name": "g", "other": "plus_shift", "cause": "constant", "constants": ("shift",)},
    ),
    "an epsilon of normalisation": (
        norm(0.5, "n"),
        norm_parts(1e-6),
        {"name": "n", "other": "with_epsilon", "cause": "attribute", "what": "Add: 0.5 beside 1e-06", "ids": None},
    ),
    "a mask of these": (
        masked(None),
        masked(0.0),
        {"name": "a", "other": "masked", "cause": "constant"},
    ),
    "a reduction before a reshape": (
        reduced("ReduceMean", is_moved=False),
        reduced("ReduceMax", is_moved=True),
        {"name": "ReduceMean_False", "other": "ReduceMax_True", "cause": "type"},
    ),
    "an epsilon of these": (
        groups,
        group_parts(SHIFTS, 0.5),
        {"name": "g", "other": "mvn", "cause": "attribute", "ids": None},
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_planted_fault(name: str, tmp_path: Path) -> None:
    first, second, expected = PAIRS[name]
    pair = net(tmp_path / "a.xml", first), net(tmp_path / "b.xml", second, "other_")
    found = compare(*pair, X)
    (suspect,) = found.verdict.suspects
    assert found.verdict.verdict == "different"
    assert {key: getattr(suspect, key) for key in expected} == expected
    record = found.as_dict()
    assert (record["verdict"], record["cause"], record["status"]) == ("different", suspect.cause, "different")
    assert record["suspects"][0]["name"] == suspect.name
    assert suspect.cause in CAUSES
    back = compare(*reversed(pair), X).verdict.suspects[0]
    assert (back.name, back.other, back.cause) == (suspect.other, suspect.name, suspect.cause)


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_layer_beside_its_parts_is_cut_out(tmp_path: Path, *, is_turned: bool) -> None:
    pair = net(tmp_path / "a.xml", norm(0.5, "n")), net(tmp_path / "b.xml", norm_parts(1e-6), "other_")
    found = blame(*(reversed(pair) if is_turned else pair), X)
    counts = [len(layers_of(model)) for model in found.case.models]
    assert (found.reproduces, counts) == (True, [7, 1] if is_turned else [1, 7])


SOUND: dict[str, tuple[Build, Build]] = {
    "attention beside its parts": (attention("a"), attention_parts(-1)),
    "group normalisation beside its parts": (groups, group_parts(SHIFTS, 1e-5)),
    "normalisation beside its parts": (norm(1e-6, "n"), norm_parts(1e-6)),
    "normalisation with epsilon outside": (norm(0.1, "n", mode="outside_sqrt"), norm_parts(0.1, "outside_sqrt")),
    "exchanged operands": (shifted(WEIGHTS[:2], "a"), shifted(WEIGHTS[:2], "b", first=True)),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_two_exporters_write(name: str, tmp_path: Path) -> None:
    first, second = SOUND[name]
    pair = net(tmp_path / "a.xml", first), net(tmp_path / "b.xml", second, "other_")
    assert compare(*pair, X).verdict == Verdict("equal")


def test_the_page_lists_all_causes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8")
    table = page.partition("| cause | what differs |\n|---|---|\n")[2].partition("\n\n")[0]
    listed = [name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(listed) == sorted(CAUSES)
