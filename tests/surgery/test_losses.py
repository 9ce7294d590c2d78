"""Edits, passes and saves lose nothing but what they are meant to change, on files with every kind of information."""

from __future__ import annotations

import contextlib
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import irrun.openvino as ov
from irrun.document.writer import Writer
from irrun.graph import Outlet
from irrun.linter import lint
from irrun.linter.check import IRFile, Linter
from irrun.model import Loaded, build, load
from irrun.openvino import passes
from irrun.ops.extension import Extension
from irrun.surgery import (
    convert,
    extract,
    remove_states,
    rename,
    reshape,
    save,
    set_attributes,
    set_layer_notes,
    set_notes,
    set_outputs,
    set_weights,
)
from tests.cases import ModelCase, all_models
from tests.engines import need
from tests.exports.archives import NAMES, unpacked
from tests.surgery.losses import differences, noted, seen_by_irrun, seen_by_openvino

openvino = need("openvino")

EXAMPLES: Final = sorted((Path(__file__).parents[2] / "examples").rglob("*.xml"))
CASES: Final = [case for case in all_models() if case.type not in ("Const", "Parameter")]
_ENDS: Final = ("Parameter", "Result", "Const", "ReadValue", "Assign")


def _middle(model: Loaded) -> str | None:
    """Return the name of a layer in the middle of a model, with one output that is none of the model; None for none."""
    graph = model.graph
    found = [
        node.name
        for node in graph.ordered()
        if node.type not in _ENDS
        and node.outputs == 1
        and all(graph.node(inlet.node).type != "Result" for inlet in graph.consumers(Outlet(node.id, 0)))
    ]
    return found[len(found) // 2] if found else None


def _renamed(model: Loaded) -> Loaded:
    """Rename a layer and a tensor there and back."""
    name = _middle(model)
    if name is None:
        return model
    there = rename(model, {name: "another name"}, {f"{name}:0": "another tensor"})
    node = next(node for node in there.graph.ordered() if node.name == "another name")
    own = next(item for item in model.graph.ordered() if item.name == name)
    back = rename(there, {"another name": name})
    return Loaded(
        back.bound._replace(graph=back.graph.with_nodes([back.graph.node(node.id)._replace(names=own.names)])),
        *(back.facts, back.weights, back.origin),
        name=back.friendly_name,
        version="11",
    )


def _other_outputs(model: Loaded) -> Loaded:
    name = _middle(model)
    if name is None:
        return model
    more = set_outputs(model, [f"{name}:0"])
    return set_outputs(more, [], [more.outputs[-1].any_name])


def _same_attributes(model: Loaded) -> Loaded:
    for node in model.graph.ordered():
        is_known = node.op is not None and not isinstance(node.op, Extension) and node.type not in _ENDS
        if is_known and node.op is not None and node.layer is not None and node.layer.data:
            known = {spec.name for spec in node.op.spec.attributes}
            texts = {key: text for key, text in node.layer.data.items() if key in known}
            return set_attributes(model, node.name, texts)
    return model


def _same_notes(model: Loaded) -> Loaded:
    made = set_notes(set_notes(model, {"further/entry": "1"}), {}, ["further"])
    name = _middle(model)
    return made if name is None else set_layer_notes(made, name, {})


def _same_weights(model: Loaded) -> Loaded:
    for node in model.graph.ordered():
        fact = model.facts.get(Outlet(node.id, 0)) if node.type == "Const" else None
        if fact is not None and fact.type.name == "f32" and fact.constant is not None:
            return set_weights(model, node.name, np.array(fact.constant))
    return model


def _same_precision(model: Loaded) -> Loaded:
    """Convert weights to f32, where all are."""
    types = {fact.type.name for fact in model.facts.of.values() if fact.type.is_float}
    return convert(model, "f32") if types <= {"f32"} else model


EDITS: Final[dict[str, Callable[[Loaded], Loaded]]] = {
    "nothing": lambda model: model,
    "a part with all outputs": lambda model: extract(model, [], [port.result_name for port in model.outputs]).model,
    "the same shapes": lambda model: reshape(model, {port.any_name: port.partial_shape for port in model.inputs}),
    "names": _renamed,
    "outputs": _other_outputs,
    "attributes": _same_attributes,
    "notes": _same_notes,
    "weights": _same_weights,
    "precision": _same_precision,
}


class _Nothing(passes.ModelPass):
    def run_on_model(self, model: Any) -> bool:
        return not model


def _passed(model: Any) -> Any:
    manager = passes.Manager()
    manager.register_pass(_Nothing())
    manager.run_passes(model)
    return model


SAVES: Final[dict[str, Callable[[Any], Any]]] = {
    "as read": lambda model: model,
    "nodes asked for": lambda model: (model.get_ordered_ops(), model.outputs, model)[-1],
    "a clone": lambda model: (model.inputs, model.clone())[-1],
    "pickled": lambda model: pickle.loads(pickle.dumps(model)),
    "after a pass": _passed,
}


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
        if name in EDITS:
            save(EDITS[name](load(source)), made)
        else:
            ov.save_model(SAVES[name](ov.read_model(source)), made, compress_to_fp16=False)
        found = differences(ours, seen_by_irrun(load(made)))
        found += [] if theirs is None else [f"OpenVINO: {item}" for item in differences(theirs, _theirs(made) or {})]
        yield from (f"{name}: {item}" for item in found)


def _theirs(path: Path) -> dict[str, Any] | None:
    """Return what OpenVINO reads; None where it refuses a file."""
    with contextlib.suppress(RuntimeError):
        return seen_by_openvino(openvino, path)
    return None


@pytest.mark.parametrize("seed", range(2))
def test_the_example(tmp_path: Path, seed: int) -> None:
    digits = next(path for path in EXAMPLES if path.parent.name == "digits")
    source = _written(digits, tmp_path, seed)
    assert list(_check(source, tmp_path, list(EDITS), list(SAVES))) == []


@pytest.mark.rest
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(tmp_path: Path, path: Path) -> None:
    source = _written(path, tmp_path, 1)
    if not [item for item in lint(source) if item.severity.name == "ERROR"]:
        assert list(_check(source, tmp_path, list(EDITS), list(SAVES))) == []


@pytest.mark.rest
@pytest.mark.parametrize("name", NAMES)
def test_exports(tmp_path: Path, name: str) -> None:
    seed = NAMES.index(name)
    source = _written(unpacked(name, tmp_path).path, tmp_path, seed)
    edits, saves = list(EDITS), list(SAVES)
    chosen = [edits[(seed + step) % len(edits)] for step in (0, 3, 5)], [saves[seed % len(saves)]]
    assert list(_check(source, tmp_path, *chosen)) == []


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
@pytest.mark.parametrize("name", NAMES[::8])
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
@pytest.mark.parametrize("name", NAMES[::8])
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
