"""Models for which OpenVINO returns wrong numbers: irrun follows the formula; so does OpenVINO with a workaround."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import irrun.model
from irrun.ops.registry import declarations
from irrun.surgery import reshape, save, set_weights
from tests.lab.releases import departures, workarounds, wrong
from tests.lab.releases.rewriting import BUILT, CHANGED, ORDINARY
from tests.lab.releases.shown import ABSENT
from tests.openvino_faults import FAULTS, FORMULAS, Array, inputs_of

PAGE = FAULTS.with_name("openvino-faults.md").read_text(encoding="utf-8")


def test_every_file_has_a_formula_and_a_section() -> None:
    assert {path.stem for path in FAULTS.glob("*.xml")} == FORMULAS.keys()
    assert all(f"](#{name.replace('_', '-')})**, found in " in PAGE for name in FORMULAS)
    assert PAGE.count("\n**Workaround.** ") == len(FORMULAS)


def test_the_page_has_the_releases_and_errors_that_were_recorded() -> None:
    recorded = json.loads(wrong.DATA.read_text(encoding="utf-8"))
    assert recorded.keys() == FORMULAS.keys()
    for name, errors in recorded.items():
        assert f"{len(errors)} releases from 2023.3 to 2026.4.1 " in PAGE
        assert re.search(rf"^  {wrong.since(errors)}, relative error [\d.]+: \[{name}\]", PAGE, re.M)
    assert "2026.4.1" in recorded["bias_behind_a_mask"]


@pytest.mark.parametrize(
    ("errors", "text"),
    [
        ({"2024.6.0": 0.0, "2025.0.0": 0.5, "2025.1.0": 0.5}, "from 2025.0 on"),
        ({"2024.6.0": 0.5, "2025.0.0": 0.5}, "all from 2024.6 on"),
        ({"2024.6.0": 0.0, "2025.0.0": 0.5, "2025.1.0": 0.0}, "2025.0 to 2025.0"),
    ],
)
def test_releases_in_words(errors: dict[str, float], text: str) -> None:
    assert wrong.since(errors) == text


def test_departures_of_single_operations_have_files_and_releases() -> None:
    cases = departures.smallest()
    record = json.loads(departures.DATA.read_text(encoding="utf-8"))
    recorded = [(version, key) for version, outcomes in record["departures"].items() for key in outcomes]
    with zipfile.ZipFile(departures.FILES) as archive:
        folders = {name.split("/")[0] for name in archive.namelist()}
        model = irrun.model.load(archive.read("Clamp-1_nan/model.xml"), archive.read("Clamp-1_nan/model.bin"))
        x = np.load(io.BytesIO(archive.read("Clamp-1_nan/in0.npy")))
    declared = {(departures.versioned(cls.spec), key) for cls in declarations() for key in cls.spec.departures}
    assert sorted(recorded) == sorted(cases)
    assert declared == {*cases, *ABSENT}
    assert not cases.keys() & ABSENT.keys()
    assert folders == {departures.name(*key) for key in cases}
    assert all(len(of[key]) == len(record["releases"]) for of in record["departures"].values() for key in of)
    (found,) = irrun.model.build(model).session().run([x]).to_tuple()
    np.testing.assert_array_equal(found, cases["Clamp-1", "nan"].expected[0])


def test_workarounds_of_single_operations_have_run() -> None:
    record = json.loads(workarounds.DATA.read_text(encoding="utf-8"))
    ran = {(version, key): outcome for version, of in record["workarounds"].items() for key, outcome in of.items()}
    specs = {departures.versioned(cls.spec): cls.spec for cls in declarations()}
    assert {*ran.values()} == {"agrees"}
    assert ran.keys() == {*BUILT, *CHANGED, *ORDINARY}
    assert ran.keys() == {(version, key) for version, spec in specs.items() for key in spec.workarounds}
    assert all(spec.workarounds.keys() <= spec.departures.keys() for spec in specs.values())
    assert record["openvino"] == "2026.4.1"
    assert (
        specs["AvgPool-16"].departure("dilations")
        == "crashes where dilations are absent (instead: write dilations of 1)"
    )


@pytest.mark.parametrize(
    ("outcomes", "text"),
    [
        ("ddd", "all from 2024.0 on"),
        ("add", "from 2024.4 on"),
        ("-dd", "all from 2024.4 on"),
        ("drd", "from 2025.1 on"),
    ],
)
def test_releases_of_a_departure_in_words(outcomes: str, text: str) -> None:
    assert departures.since(["2024.0.0", "2024.4.0", "2025.1.0"], outcomes) == text


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
@pytest.mark.parametrize("name", FORMULAS)
def test_irrun_follows_the_formula(name: str, tier: str) -> None:
    compiled = irrun.model.build(irrun.model.load(FAULTS / f"{name}.xml"), {"TIER": tier})
    inputs = inputs_of(name)
    (found,) = compiled.session().run(inputs).to_tuple()
    np.testing.assert_allclose(found, FORMULAS[name](**inputs), rtol=1e-6, atol=1e-6)


def _by_openvino(model: Any, inputs: dict[str, Array]) -> Any:
    from openvino import Core

    return next(iter(Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs).values()))


def _with_an_open_batch(path: Path) -> Any:
    model = irrun.model.load(FAULTS / "attention_over_its_queries.xml")
    save(reshape(model, {port.any_name: "[?,2,2,2]" for port in model.inputs}), path)
    return path


def _with_the_table_as_a_constant(_path: Path) -> Any:
    from openvino import Core, opset13

    model = Core().read_model(FAULTS / "product_with_transposed_weights.xml")
    (gather,) = [node for node in model.get_ops() if node.get_type_name() == "GatherElements"]
    table, indices = (gather.input_value(place).get_node().data for place in (0, 1))
    values = np.take_along_axis(table, indices.astype(np.int64), gather.get_attributes()["axis"])
    gather.output(0).replace(opset13.constant(values).output(0))
    return model


def _with_a_smaller_number(path: Path) -> Any:
    model = irrun.model.load(FAULTS / "bias_behind_a_mask.xml")
    save(set_weights(model, "least", -1e4), path)
    return path


WORKAROUNDS: Final[dict[str, Callable[[Path], Any]]] = {
    "attention_over_its_queries": _with_an_open_batch,
    "product_with_transposed_weights": _with_the_table_as_a_constant,
    "bias_behind_a_mask": _with_a_smaller_number,
}


@pytest.mark.parametrize("name", FORMULAS)
def test_openvino_is_wrong_without_the_workaround_and_right_with_it(name: str, tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    inputs = inputs_of(name)
    assert wrong.relative_error(name, _by_openvino(FAULTS / f"{name}.xml", inputs)) > 0.1
    assert wrong.relative_error(name, _by_openvino(WORKAROUNDS[name](tmp_path / "model.xml"), inputs)) < 1e-6
