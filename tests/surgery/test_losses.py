"""Edits, passes and saves lose nothing but what they are meant to change, on files with every kind of information."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import irrun.openvino as ov
from irrun.document.writer import Writer
from irrun.linter import lint
from irrun.linter.check import IRFile, Linter
from irrun.model import build, load
from irrun.surgery import (
    remove_states,
    save,
)
from tests.cases import ModelCase, all_models
from tests.engines import need
from tests.exports.archives import NAMES, unpacked
from tests.plugins.tiers import Campaign
from tests.surgery.edits import CHANGES, EDITS, SAVES
from tests.surgery.losses import differences, noted, seen_by_irrun, seen_by_openvino

openvino = need("openvino")

EXAMPLES: Final = sorted((Path(__file__).parents[2] / "examples").rglob("*.xml"))
SAMPLE: Final = NAMES[::4]
"""Exports that are always edited; the campaign draws from all."""

CASES: Final = [case for case in all_models() if case.type not in ("Const", "Parameter")]


def _written(path: Path, folder: Path, seed: int) -> Path:
    """Write a file with information of every kind; return its path."""
    source = folder / "noted.xml"
    source.write_text(noted(path.read_text(), seed))
    weights = path.with_suffix(".bin")
    source.with_suffix(".bin").write_bytes(weights.read_bytes() if weights.exists() else b"")
    return source


def _check(source: Path, folder: Path, edits: list[str], saves: list[str]) -> Iterator[str]:
    """Yield what is lost by edits of a file, and by saving it through the API."""
    ours, theirs = seen_by_irrun(load(source)), _theirs(source)
    made = folder / "made" / "model.xml"
    for name in (*edits, *saves):
        meant = None
        if name in SAVES:
            ov.save_model(SAVES[name](ov.read_model(source)), made, compress_to_fp16=False)
        else:
            edit, meant = CHANGES[name] if name in CHANGES else (EDITS[name], None)
            save(edit(load(source)), made)
        found = differences(ours, seen_by_irrun(load(made)))
        found += [] if theirs is None else [f"OpenVINO: {item}" for item in differences(theirs, _theirs(made) or {})]
        yield from (f"{name}: {item}" for item in found if meant is None or not meant.match(item))


def _theirs(path: Path) -> dict[str, Any] | None:
    """Return what OpenVINO reads; None where it refuses a file."""
    with contextlib.suppress(RuntimeError):
        return seen_by_openvino(openvino, path)
    return None


@pytest.mark.parametrize("seed", range(2))
def test_the_example(tmp_path: Path, seed: int) -> None:
    digits = next(path for path in EXAMPLES if path.parent.name == "digits")
    source = _written(digits, tmp_path, seed)
    assert list(_check(source, tmp_path, [*EDITS, *CHANGES], list(SAVES))) == []


@pytest.mark.rest
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(tmp_path: Path, path: Path) -> None:
    source = _written(path, tmp_path, 1)
    if not [item for item in lint(source) if item.severity.name == "ERROR"]:
        assert list(_check(source, tmp_path, [*EDITS, *CHANGES], list(SAVES))) == []


@pytest.mark.rest
@pytest.mark.parametrize("name", SAMPLE)
def test_exports(tmp_path: Path, name: str) -> None:
    seed = SAMPLE.index(name)
    source = _written(unpacked(name, tmp_path).path, tmp_path, seed)
    edits, changes, saves = list(EDITS), list(CHANGES), list(SAVES)
    chosen = [edits[(seed + step) % len(edits)] for step in (0, 3, 5)]
    chosen.append(changes[seed % len(changes)])
    assert list(_check(source, tmp_path, chosen, [saves[seed % len(saves)]])) == []


def test_any_export(campaign: Campaign, subtests: pytest.Subtests, tmp_path: Path) -> None:
    for seed in campaign.draws(1, 10):
        chance = random.Random(seed)
        name, save = chance.choice(NAMES), chance.choice(list(SAVES))
        edits = [chance.choice(list(EDITS)), chance.choice(list(CHANGES))]
        with subtests.test(seed=seed, name=name, edits=edits, save=save):
            source = _written(unpacked(name, tmp_path / str(seed)).path, tmp_path, seed)
            assert list(_check(source, tmp_path, edits, [save])) == []


@pytest.mark.rest
@pytest.mark.parametrize("case", CASES, ids=str)
def test_models_of_operations(tmp_path: Path, case: ModelCase) -> None:
    writer = Writer("net")
    case.build(writer)
    writer.save(tmp_path / "case.xml")
    source = _written(tmp_path / "case.xml", tmp_path, 3)
    assert list(_check(source, tmp_path, ["nothing", "a part with all outputs", "notes"], ["a clone"])) == []


def test_outputs_are_equal_bit_for_bit(tmp_path: Path) -> None:
    digits = next(path for path in EXAMPLES if path.parent.name == "digits")
    source = _written(digits, tmp_path, 5)
    image = np.random.default_rng(2).standard_normal((2, 1, 8, 8), dtype=np.float32)
    expected = build(load(source))([image]).to_tuple()
    for name, edit in EDITS.items():
        save(edit(load(source)), tmp_path / "made.xml")
        for before, after in zip(expected, build(load(tmp_path / "made.xml"))([image]).to_tuple(), strict=True):
            assert np.array_equal(before, after), name


@pytest.mark.parametrize("name", sorted(EDITS))
def test_untouched_layers_keep_their_text(tmp_path: Path, name: str) -> None:
    digits = next(path for path in EXAMPLES if path.parent.name == "digits")
    source = _written(digits, tmp_path, 7)
    save(EDITS[name](load(source)), tmp_path / "made.xml")
    before, after = (path.read_text().split("\t\t</layer>\n") for path in (source, tmp_path / "made.xml"))
    if name != "weights":
        assert after == before
        assert (tmp_path / "made.bin").read_bytes() == source.with_suffix(".bin").read_bytes()
    else:
        assert [text for text in after if "Const" not in text] == [text for text in before if "Const" not in text]


def test_variables_that_are_removed_leave_the_rest(tmp_path: Path) -> None:
    case = next(case for case in all_models() if case.type == "Assign" and case.opset == 6)
    writer = Writer("net")
    case.build(writer)
    model = load(writer.text.encode(), writer.weights)
    made = remove_states(model)
    save(made, tmp_path / "made.xml")
    kept = {node.name for node in model.graph.ordered() if node.type not in ("ReadValue", "Assign", "Const")}
    assert kept <= {node.name for node in load(tmp_path / "made.xml").graph.ordered()}
    assert not made.graph.sinks


@pytest.mark.rest
@pytest.mark.parametrize("name", NAMES[::12])
def test_outputs_stay_bit_for_bit(tmp_path: Path, name: str) -> None:
    export = unpacked(name, tmp_path)
    source = _written(export.path, tmp_path, 1)
    config = {"OPTIMIZE": False}
    expected = build(load(source), config)(export.inputs).to_tuple()
    made = tmp_path / "made" / "model.xml"
    for edit in EDITS.values():
        save(edit(load(source)), made)
        for one, other in zip(build(load(made), config)(export.inputs).to_tuple(), expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.rest
@pytest.mark.parametrize("name", NAMES[::12])
def test_a_repair_changes_nothing_else(tmp_path: Path, name: str) -> None:
    """A wrong dim of an output port, repaired, gives the file as it was."""
    source = _written(unpacked(name, tmp_path).path, tmp_path, 1)
    text = source.read_text()
    if "body>" in text:
        pytest.skip("a repair also completes ports of sub-graphs that have no dims")
    places = list(re.finditer(r"<output>\s*<port [^>]*[^/]>\s*<dim>(\d+)</dim>", text))
    at, end = places[len(places) // 2].span(1)
    wrong = f"{text[:at]}{int(text[at:end]) + 1}{text[end:]}"
    fixed = Linter().fix(IRFile(str(source), data=wrong.encode()))
    assert fixed.applied
    assert fixed.data.decode() == text
