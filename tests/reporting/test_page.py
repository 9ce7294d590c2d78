"""The page: its data, and its use in a browser that fetches nothing."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.debugging.sides import ModelSide
from irrun.document.writer import Writer
from irrun.linter import lint
from irrun.model import Loaded, load
from irrun.reporting.diff import diff
from irrun.reporting.page import Measured, Subject, contents, measure, page, titles
from irrun.reporting.page.histograms import histogram
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.reporting.browser import CHROMIUM, DRIVER, browser
from tests.reporting.models import loaded, looping, network, save

IMAGE = np.random.default_rng(3).normal(size=(1, 3, 8, 8)).astype("f4")
ENTER, ESCAPE, UP, DOWN, RIGHT = "\ue007", "\ue00c", "\ue013", "\ue015", "\ue014"

needs_browser = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="Chromium and chromedriver are needed")


def data(model: Loaded, measured: Measured | None = None) -> dict[str, Any]:
    """Return the data about one model, as a page reads them."""
    subject = Subject(model, "net.xml", (), measured or Measured())
    found: dict[str, Any] = json.loads(json.dumps(contents([subject])))["models"][0]
    return found


def write(folder: Path, *subjects: Subject, title: str = "net") -> Path:
    difference = diff(subjects[0].model, subjects[1].model) if len(subjects) > 1 else None
    path = folder / "page.html"
    path.write_text(page(contents(subjects, difference), title), encoding="utf-8")
    return path


def layer(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(item for item in found["layers"] if item["n"] == name)


def test_layers() -> None:
    found = data(loaded(network()))
    assert [item["n"] for item in found["layers"]] == [
        *("image", "conv", "bias", "relu", "pool", "left", "right", "sum", "flat", "scores")
    ]
    conv = layer(found, "conv")
    assert (conv["t"], conv["v"], conv["k"], conv["d"]) == ("Convolution", "opset1", "product", "[1,4,8,8]")
    assert conv["w"][0].startswith("Slide 4 filters of 3x3")
    assert ["pads_begin", "1, 1", 1] in conv["a"]
    assert conv["in"][0][:5] == ["data", "f32[1,3,8,8]", 0, "image", 0]
    assert conv["in"][1][:4] == ["kernel", "f32[4,3,3,3]", -1, "kernel"]
    assert conv["out"] == [["output", "f32[1,4,8,8]", ["conv"], [2], ""]]
    assert conv["h"] == {"flops": 2 * 256 * 27, "weights": 432, "size": 1024}
    operation = found["operations"]["Convolution opset1"]
    assert operation["category"] == "convolution"
    assert operation["docs"]["strides"] == "distance between two windows on each spatial axis"
    assert ["layers", "13"] in found["summary"]


def test_histograms() -> None:
    counts = layer(data(loaded(network())), "conv")["in"][1][6]
    assert (counts["size"], counts["sampled"], counts["nan"], sum(counts["bins"])) == (108, 108, 0, 108)
    values = np.array([0, 0, 1, 1, 1, 4, np.nan, np.inf], "f4")
    found = histogram(Fact.of(F32, values))
    assert found is not None
    assert (found["min"], found["max"], found["mean"], found["zeros"], found["nan"], found["inf"]) == (
        *(0.0, 4.0, 1.1667),
        *(2, 1, 1),
    )
    assert found["bins"][0] == 2
    assert found["bins"][8] == 3
    assert found["bins"][31] == 1


def test_large_constants_are_sampled() -> None:
    found = histogram(Fact.of(F32, np.ones(1 << 20, "f4")))
    assert found is not None
    assert (found["size"], found["sampled"], found["bins"]) == (1 << 20, 1 << 18, [1 << 18])


def test_the_graph() -> None:
    (graph,) = data(loaded(network()))["graphs"]
    ranks = {node[0]: node[4] for node in graph["nodes"]}
    assert ranks == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 6, 8: 7, 9: 8}
    assert [0, 1] in graph["edges"]
    assert len(graph["edges"]) == 10
    assert graph["cut"] == []


def test_bodies(tmp_path: Path) -> None:
    found = data(looping(tmp_path))
    whole, body = found["graphs"]
    (loop,) = [node for node in whole["nodes"] if len(node) > 5]
    assert loop[5] == [["body", 1]]
    inner = {found["layers"][node[0]]["p"] for node in body["nodes"]}
    assert inner == {f"{found['layers'][loop[0]]['n']}/"}


def test_a_run() -> None:
    model = loaded(network())
    measured = measure(model, [IMAGE], {}, ModelSide(loaded(network(), ('type="Tanh"', 'type="Erf"')), [IMAGE]))
    found = data(model, measured)
    relu = layer(found, "relu")
    assert relu["h"]["time"] > 0
    assert relu["h"]["zeros"] > 0
    assert relu["s"][0][0] == 0
    errors = {item["n"]: item["h"].get("error") for item in found["layers"]}
    assert errors["relu"] == 0
    assert errors["right"] is None or errors["right"] > 0
    assert {key for key, *_ in found["heats"]} >= {"time", "flops", "weights", "size", "most", "std", "zeros", "error"}


def test_times_of_layers_in_bodies(tmp_path: Path) -> None:
    model = looping(tmp_path)
    given = [np.zeros(port.partial_shape.static, port.element_type.dtype) for port in model.inputs]
    found = data(model, measure(model, given, {}))
    inner = [item for item in found["layers"] if item["p"] and item["t"] == "Add"]
    assert inner
    assert all(item["h"]["time"] > 0 for item in inner)


def test_findings_are_on_their_layers(tmp_path: Path) -> None:
    path = save(tmp_path, "net.xml", network(), ("<dim>64</dim>", "<dim>65</dim>"))
    model = loaded(network())
    (found,) = contents([Subject(model, "net.xml", lint(path))])["models"]
    severity, code, message = layer(found, "flat")["f"][0]
    assert (severity, code) == ("error", "IR401")
    assert "[1,65]" in message


def test_two_models() -> None:
    first, second = loaded(network()), loaded(network(), ('type="Sigmoid"', 'type="Exp"'), ('name="bias"', 'name="b"'))
    subjects = [Subject(first, "a.xml"), Subject(second, "b.xml")]
    found = contents(subjects, diff(first, second))
    assert found["pairs"] == [[index, index] for index in range(10)]
    assert [row[:4] for row in found["changes"]] == [
        ["renamed", 2, 2, "Add bias"],
        ["operation", 5, 5, "Sigmoid left"],
    ]


def test_a_changed_constant_is_shown_at_its_reader() -> None:
    second = network()
    weights = np.float32(7.5).tobytes() + second.weights[4:]
    models = [loaded(network()), load(second.text.encode(), weights)]
    found = contents([Subject(model, "x") for model in models], diff(*models))
    assert [row[:3] for row in found["changes"]] == [["constant", 1, 1]]


def test_names_cannot_end_the_script() -> None:
    model = loaded(network(), ('name="conv"', 'name="&lt;/script&gt;&lt;img src=x&gt;%%data%%"'))
    text = page(contents([Subject(model, "</title>.xml")]), "</title><b>")
    assert text.count("</script>") == 2
    assert "<img" not in text
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in text
    assert "%%data%%" in text


def test_nothing_is_fetched_by_the_text() -> None:
    text = page(contents([Subject(loaded(network()), "net.xml")]), "net")
    code = re.sub(r'<script id="data".*?</script>', "", text, flags=re.DOTALL)
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", code))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in code
    assert not re.search(r"\bimport\b|\bfetch\(|XMLHttpRequest|@import|url\(", code)


def deep(count: int) -> Loaded:
    """Return a chain of layers, each of which also reads the first input."""
    ir = Writer("deep")
    fact = Fact(F32, Shape([1, 4]))
    mask = x = ir.parameter("mask", F32, fact.shape)
    for number in range(count):
        (x,) = ir.layer("Add", "opset1", [x, mask], [fact], {"auto_broadcast": "numpy"}, name=f"layer {number}")
    ir.result(x, "y")
    return loaded(ir)


def test_the_page_of_a_large_model_is_small(tmp_path: Path) -> None:
    path = write(tmp_path, Subject(deep(2000), "deep.xml"))
    assert path.stat().st_size < 1_500_000


@needs_browser
def test_a_click_shows_attributes(tmp_path: Path) -> None:
    path = write(tmp_path, Subject(loaded(network()), "net.xml"))
    with browser() as page:
        page.open(path)
        assert "parameters" in page.text("#panel")
        page.click(*page.run("return report.views[0].screen(1)"))
        text = page.text("#panel")
        assert text.startswith("Convolution\n\nconv")
        assert "pads_begin\t1, 1" in text
        assert "axis 2: (8 + 1 + 1 - 3) / 1 + 1 = 8" in text
        assert page.run("return document.querySelectorAll('#panel .histogram rect').length") == 32
        page.run(
            "[...document.querySelectorAll('#panel .link')].find((item) => item.textContent === 'Add bias').click()"
        )
        assert page.text("#panel").startswith("Add\n\nbias")
        assert page.errors() == []
        assert [item for item in page.requests() if item.startswith(("http", "ws", "file"))] == [path.as_uri()]


@needs_browser
def test_search_and_keys(tmp_path: Path) -> None:
    path = write(tmp_path, Subject(loaded(network()), "net.xml"))
    with browser() as page:
        page.open(path)
        page.keys("/", *"max po")
        assert page.text("#found").split() == ["MaxPool", "pool", "[1,4,4,4]"]
        page.keys(ENTER)
        assert page.text("#panel h2") == "MaxPool"
        names = []
        for key in (DOWN, RIGHT, DOWN, UP):
            page.keys(key)
            names.append(page.text("#panel .name"))
        assert names == ["left", "right", "sum", "left"]
        page.keys(ESCAPE)
        assert page.text("#panel h2") == "net.xml"
        page.keys("/", *"kernel")
        assert page.text("#found").startswith("Convolution conv")
        page.keys("x")
        assert page.text("#found") == "no layer matches"
        assert page.errors() == []


@needs_browser
def test_bodies_are_opened_in_place(tmp_path: Path) -> None:
    path = write(tmp_path, Subject(looping(tmp_path), "loop.xml"))
    with browser() as page:
        page.open(path)
        before = page.run("return [report.views[0].scene.boxes.length, report.views[0].scene.height]")
        loop = page.run("return report.data.models[0].layers.findIndex((layer) => layer.t === 'Loop')")
        page.run("report.select(0, arguments[0], {follow: true}); report.views[0].canvas.focus()", loop)
        page.keys(ENTER)
        after = page.run("return [report.views[0].scene.boxes.length, report.views[0].scene.height]")
        assert after[0] > before[0]
        assert after[1] > before[1]
        inside = page.run(
            "const {scene} = report.views[0], loop = scene.box.get(arguments[0]);"
            "const inner = scene.boxes.filter((box) => report.data.models[0].layers[box.layer].p);"
            "const within = (start, size, outer, room) => start >= outer && start + size <= outer + room;"
            "return inner.every((box) => within(box.x, box.w, loop.x, loop.w) && within(box.y, box.h, loop.y, loop.h))",
            loop,
        )
        assert inside is True
        page.keys(ENTER)
        assert page.run("return [report.views[0].scene.boxes.length, report.views[0].scene.height]") == before
        inner = page.run("return report.data.models[0].layers.findIndex((layer) => layer.p && layer.t === 'Add')")
        page.run("report.select(0, arguments[0], {follow: true})", inner)
        assert page.run("return report.views[0].scene.box.has(arguments[0])", inner) is True
        assert page.errors() == []


@needs_browser
def test_heat(tmp_path: Path) -> None:
    model = loaded(network())
    path = write(tmp_path, Subject(model, "net.xml", (), measure(model, [IMAGE], {})))
    with browser() as page:
        page.open(path)
        keys = page.run("return [...document.getElementById('heat').options].map((option) => option.value)")
        assert keys[:4] == ["", "time", "flops", "weights"]
        assert page.run("return document.getElementById('heat').value") == "time"
        assert "ms" in page.text("#legend")
        fills = "(layer, index) => [layer.h.time, report.views[0].on.fill(0, index)]"
        times = f"return report.data.models[0].layers.map({fills})"
        measured = [(time, colour) for time, colour in page.run(times) if time is not None]
        assert max(measured)[1] != min(measured)[1]
        page.run("report.setHeat('flops')")
        assert "FLOPs" in page.text("#legend")
        colours = "const view = report.views[0]; return [1, 3].map((layer) => view.on.fill(0, layer))"
        hot, cold = page.run(colours)
        assert hot != cold
        assert page.errors() == []


@needs_browser
@pytest.mark.parametrize(("is_run", "has_errors", "heat"), [(False, False, ""), (True, True, "error")])
def test_the_first_colours_are_what_a_run_has_shown(tmp_path: Path, is_run: bool, has_errors: bool, heat: str) -> None:
    model = loaded(network())
    side = ModelSide(loaded(network(), ('type="Tanh"', 'type="Erf"')), [IMAGE]) if has_errors else None
    measured = measure(model, [IMAGE], {}, side) if is_run else Measured()
    with browser() as page:
        page.open(write(tmp_path, Subject(model, "net.xml", (), measured)))
        assert page.run("return document.getElementById('heat').value") == heat
        assert page.errors() == []


@needs_browser
def test_two_models_side_by_side(tmp_path: Path) -> None:
    first, second = loaded(network()), loaded(network(), ('type="Sigmoid"', 'type="Exp"'))
    path = write(tmp_path, Subject(first, "a.xml"), Subject(second, "b.xml"))
    with browser() as page:
        page.open(path)
        assert page.run("return report.views.length") == 2
        assert "operation Sigmoid left: operation Sigmoid-1 → Exp-1" in page.text("#panel")
        page.click(*page.run("return report.views[0].screen(5)"))
        assert page.run("return report.views.map((view) => view.selected)") == [5, 5]
        assert "CHANGES" in page.text("#panel")
        assert page.errors() == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["a/model.xml"], ["model.xml"]),
        (["old/model.xml", "new/other.xml"], ["model.xml", "other.xml"]),
        (["x/old/model.xml", "x/new/model.xml"], ["old/model.xml", "new/model.xml"]),
        (["model.xml", "new/model.xml"], ["model.xml", "new/model.xml"]),
        (["same.xml", "same.xml"], ["same.xml", "same.xml"]),
    ],
)
def test_titles_are_the_names_of_files(files: list[str], expected: list[str]) -> None:
    assert titles(files) == expected


def measured_pair() -> list[Subject]:
    """Return two models, of which one has another activation in the middle, after a run."""
    first, second = loaded(network()), loaded(network(), ('type="Sigmoid"', 'type="Exp"'))
    side = ModelSide(second, [IMAGE])
    return [
        Subject(first, "old/net.xml", (), measure(first, [IMAGE], {}, side)),
        Subject(second, "new/net.xml", (), measure(second, [IMAGE], {})),
    ]


def test_errors_colour_both_sides() -> None:
    subjects = measured_pair()
    one, two = contents(subjects, diff(subjects[0].model, subjects[1].model))["models"]
    for key in ("error", "own"):
        numbers = [{item["n"]: item["h"].get(key) for item in model["layers"]} for model in (one, two)]
        assert numbers[0] == numbers[1]
        assert key in {row[0] for row in two["heats"]}
    assert layer(two, "sum")["h"]["error"] > 0
    assert layer(two, "sum")["h"]["own"] == 0


@needs_browser
def test_ranked_lists_and_the_first_finding(tmp_path: Path) -> None:
    path = write(tmp_path, *measured_pair())
    with browser() as page:
        page.open(path)
        assert page.run("return report.views.map((view) => view.selected)") == [5, 5]
        heads = page.run("return [...document.querySelectorAll('#panel h2')].map((item) => item.textContent)")
        assert heads == ["old/net.xml", "new/net.xml"]
        heads = page.run("return [...document.querySelectorAll('#panel h3')].map((item) => item.textContent)")
        assert heads.count("Slowest layers") == 2
        assert heads.count("Largest errors") == 1
        lists = "return [...document.querySelectorAll('#panel ol.ranked')].map((item) => item.innerText)"
        slowest, own, errors = page.run(lists)[:3]
        assert slowest.splitlines()[0].endswith(" ms")
        assert own == "Sigmoid left 1"
        assert len(errors.splitlines()) >= 3
        assert page.run("return document.getElementById('heat').value") == "error"
        colours = "return [0, 1].map((model) => report.views[0].on.fill(model, 7))"
        one, two = page.run(colours)
        assert one == two
        assert one.startswith("rgb(")
        assert page.errors() == []


@needs_browser
def test_modules_are_folded(tmp_path: Path) -> None:
    names = ((f'name="{name}"', f'name="net/block/{name}"') for name in ("conv", "bias", "relu"))
    path = write(tmp_path, Subject(loaded(network(), *names), "net.xml"))
    with browser() as page:
        page.open(path)
        assert page.text("#panel .module") == "net/block  3 layers"
        page.run("document.querySelector('#panel .module').open = true")
        page.run("return new Promise((done) => setTimeout(done, 50))")
        assert page.run("return document.querySelectorAll('#panel .module .link').length") == 3
        page.run("document.querySelector('#panel .module .link').click()")
        assert page.text("#panel .name") == "net/block/conv"
        assert page.errors() == []


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark(tmp_path: Path, dark: bool) -> None:
    path = write(tmp_path, Subject(loaded(network()), "net.xml"))
    with browser(dark=dark) as page:
        page.open(path)
        assert page.run("return document.documentElement.dataset.theme") == ("dark" if dark else "light")
        before = page.run("return getComputedStyle(document.body).backgroundColor")
        page.run("document.getElementById('theme').click()")
        assert page.run("return getComputedStyle(document.body).backgroundColor") != before
        assert page.errors() == []


@needs_browser
def test_a_narrow_window(tmp_path: Path) -> None:
    path = write(tmp_path, Subject(loaded(network()), "net.xml"))
    with browser((500, 800)) as page:
        page.open(path)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True
        page.click(*page.run("return report.views[0].screen(1)"))
        assert page.text("#panel h2") == "Convolution"


@needs_browser
def test_a_large_model(tmp_path: Path) -> None:
    path = write(tmp_path, Subject(deep(5000), "deep.xml"))
    with browser() as page:
        page.open(path)
        page.keys("/", *"layer 4321", ENTER)
        assert page.text("#panel .name") == "layer 4321"
        assert page.run("return report.views[0].selected") == 4322
        page.keys("0")
        drawn = page.run("return document.querySelector('.view canvas').toDataURL().length")
        assert drawn > len(base64.b64encode(bytes(1000)))
        assert page.errors() == []
