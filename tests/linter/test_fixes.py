"""The fix of each finding: the bytes that change, and those that do not."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from irrun.diagnostics import Diagnostic
from irrun.linter import lint
from irrun.linter.apply import Outcome, apply_fixes
from tests.linter.models import CLAMP, CONST, ITERATOR, NET, TILE
from tests.linter.nets import NETS
from tests.linter.snippets import FOLDER, Example, examples

LINES = """<?xml version="1.0"?>
<net name="net" version="11">
\t<layers>
\t\t<layer id="0" name="x" type="Parameter" version="opset1">
\t\t\t<data shape="2,3" element_type="f32" />
\t\t\t<output>
\t\t\t\t<port id="0" precision="FP32" names="x">
\t\t\t\t\t<dim>2</dim>
\t\t\t\t\t<dim>3</dim>
\t\t\t\t</port>
\t\t\t</output>
\t\t</layer>
\t\t<layer id="1" name="s" type="Parameter" version="opset1">
\t\t\t<data shape="" element_type="f32" />
\t\t\t<output>
\t\t\t\t<port id="0" precision="FP32" names="s" />
\t\t\t</output>
\t\t</layer>
\t\t<layer id="2" name="add" type="Add" version="opset1">
\t\t\t<data auto_broadcast="numpy" />
\t\t\t<input>
\t\t\t\t<port id="0" precision="FP32">
\t\t\t\t\t<dim>2</dim>
\t\t\t\t\t<dim>3</dim>
\t\t\t\t</port>
\t\t\t\t<port id="1" precision="FP32" />
\t\t\t</input>
\t\t\t<output>
\t\t\t\t<port id="2" precision="FP32">
\t\t\t\t\t<dim>2</dim>
\t\t\t\t\t<dim>3</dim>
\t\t\t\t</port>
\t\t\t</output>
\t\t</layer>
\t\t<layer id="3" name="y" type="Result" version="opset1">
\t\t\t<input>
\t\t\t\t<port id="0" precision="FP32">
\t\t\t\t\t<dim>2</dim>
\t\t\t\t\t<dim>3</dim>
\t\t\t\t</port>
\t\t\t</input>
\t\t</layer>
\t</layers>
\t<edges>
\t\t<edge from-layer="0" from-port="0" to-layer="2" to-port="0" />
\t\t<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />
\t\t<edge from-layer="2" from-port="2" to-layer="3" to-port="0" />
\t</edges>
\t<rt_info />
</net>
"""
DIMS = "\t\t\t\t\t<dim>2</dim>\n\t\t\t\t\t<dim>3</dim>\n"
PORT = f'<port id="2" precision="FP32">\n{DIMS}\t\t\t\t</port>'


class Fixer:
    """Repairs texts by writing them to a file and linting it."""

    def __init__(self, folder: Path, weights: bytes | None) -> None:
        self.path = folder / "model.xml"
        if weights is not None:
            self.path.with_suffix(".bin").write_bytes(weights)

    def check(self, data: bytes) -> Sequence[Diagnostic]:
        self.path.write_bytes(data)
        return lint(self.path)

    def __call__(self, text: str, *, unsafe: bool = False) -> Outcome:
        return apply_fixes(text.encode(), self.check, unsafe=unsafe)


@pytest.fixture
def fixer(tmp_path: Path) -> Fixer:
    return Fixer(tmp_path, None)


def test_the_examples_are_sound(fixer: Fixer) -> None:
    assert (fixer(LINES).data.decode(), len(fixer(LINES).left)) == (LINES, 0)


FAULTS = [
    ("<dim>2</dim>", "<dim>7</dim>"),
    ("<dim>2</dim>", "<dim>two</dim>"),
    ("<dim>2</dim>", "<dim></dim>"),
    ("<dim>2</dim>", "<dim/>"),
    ('precision="FP32"', 'precision="I64"'),
    ('precision="FP32"', 'precision="FP3"'),
    (DIMS, DIMS.replace("<dim>2</dim>", "<dim>2</dim>\n\t\t\t\t\t<dim>1</dim>")),
    (DIMS, DIMS.replace("<dim>3</dim>", "<dim>3</dim>\n\t\t\t\t\t<dim>1</dim>\n\t\t\t\t\t<dim>9</dim>")),
    (DIMS, DIMS.replace("\t\t\t\t\t<dim>2</dim>\n", "")),
    (DIMS, DIMS.replace("\t\t\t\t\t<dim>3</dim>\n", "")),
]


@pytest.mark.parametrize("place", ["Parameter", "input", "output", "Result"])
def test_a_port_is_given_back(fixer: Fixer, place: str, subtests: pytest.Subtests) -> None:
    marks = {"Parameter": 'names="x"', "input": "<input>", "output": 'id="2" precision', "Result": 'name="y"'}
    begin = LINES.index(marks[place])
    begin = LINES.rindex("<port", 0, begin) if place in ("Parameter", "output") else begin
    for (good, bad), end in itertools.product(FAULTS, ["\n", "\r\n"]):
        text = (LINES[:begin] + LINES[begin:].replace(good, bad, 1)).replace("\n", end)
        assert text != LINES.replace("\n", end)
        with subtests.test(bad=bad, end=end):
            outcome = fixer(text)
            assert len(outcome.applied) == 1
            assert (outcome.data.decode(), len(outcome.left)) == (LINES.replace("\n", end), 0)


@pytest.mark.parametrize(
    "bad",
    [
        '<port id="2" precision="FP32" />',
        '<port id="2" precision="FP32"/>',
        '<port id="2" precision="FP32">\n\t\t\t\t</port>',
    ],
)
def test_a_port_that_has_lost_all_dims(fixer: Fixer, bad: str) -> None:
    assert fixer(LINES.replace(PORT, bad)).data.decode() == LINES


@pytest.mark.parametrize("id", [0, 1])
def test_a_scalar_that_has_been_given_dims(fixer: Fixer, id: int) -> None:
    layers = LINES.split("<layer ")
    layer = layers[2 if id == 0 else 3]
    good = f'<port id="{id}" precision="FP32"' + (' names="s" />' if id == 0 else " />")
    bad = good.replace(" />", f">\n{DIMS}\t\t\t\t</port>")
    assert good in layer
    layers[2 if id == 0 else 3] = layer.replace(good, bad)
    assert fixer("<layer ".join(layers)).data.decode() == LINES


def test_what_repeats_wrong_dims_is_fixed_with_them(fixer: Fixer) -> None:
    text = NET.replace("<dim>3</dim>", "<dim>4</dim>")
    outcome = fixer(text)
    assert (outcome.data.decode(), len(outcome.left)) == (NET, 0)
    assert [item.fix.message for item in outcome.applied if item.fix] == ["write [2,3], and fix 3 more ports"]


def test_what_depends_on_a_shape_is_rewritten_in_one_run(tmp_path: Path) -> None:
    ir = NETS["convolutions"]()
    text = ir.text.replace('shape="1,3,32,32"', 'shape="2,3,64,48"', 1)
    assert text != ir.text
    outcome = Fixer(tmp_path, ir.weights)(text)
    assert len(outcome.applied) == 1
    assert len(outcome.left) == 0
    assert [line for line in outcome.data.decode().splitlines() if "<dim>" not in line] == [
        line for line in text.splitlines() if "<dim>" not in line
    ]


def test_what_depends_on_an_element_type_is_rewritten_in_one_run(fixer: Fixer) -> None:
    text = LINES.replace('shape="2,3" element_type="f32"', 'shape="2,3" element_type="f16"')
    text = text.replace('shape="" element_type="f32"', 'shape="" element_type="f16"')
    outcome = fixer(text)
    assert outcome.data.decode() == text.replace('"FP32"', '"FP16"')
    assert len(outcome.left) == 0


def test_dims_inside_a_body(fixer: Fixer) -> None:
    head, tail = ITERATOR.split("<body>")
    text = f"{head}<body>{tail.replace('<dim>3</dim></port></output>', '<dim>5</dim></port></output>', 1)}"
    outcome = fixer(text)
    assert (outcome.data.decode(), len(outcome.applied)) == (ITERATOR, 1)


def test_dims_that_are_not_known_become_dynamic(fixer: Fixer) -> None:
    text = TILE.replace("<dim>4</dim>", "<dim>1</dim><dim>4</dim>")
    assert fixer(text).data.decode() == TILE.replace("<dim>4</dim><dim>3</dim>", "<dim>-1</dim><dim>-1</dim>")


def test_text_in_front_of_a_port_counts_as_bytes(fixer: Fixer) -> None:
    text = "\ufeff" + LINES.replace('name="x"', 'name="größe → x"')
    bad = text.replace("<dim>3</dim>", "<dim>4</dim>", 1)
    assert fixer(bad).data == text.encode()


SAFE = [
    ("IR103", NET, '<port id="1" precision="FP32">', '<port id="1">'),
    ("IR108", NET, "<dim>2</dim>", "<dim>2x</dim>"),
    ("IR109", NET, '"FP32"', '"FP-32"'),
    ("IR401", NET, "<dim>3</dim></port></output>", "<dim>8</dim></port></output>"),
    ("IR402", NET, "<dim>3</dim></port></input>", "<dim>8</dim></port></input>"),
    ("IR403", NET, 'id="1" precision="FP32"', 'id="1" precision="FP16"'),
]
UNSAFE = [
    ("IR101", CLAMP, "<dim>3</dim>", "<dim>3/dim>"),
    ("IR101", CLAMP, "<dim>3</dim>", "<dim>3<dim>"),
    ("IR101", CLAMP, 'min="0"', "min=0"),
    ("IR101", CLAMP, "clip", "clip & cut"),
    ("IR104", NET, "<data min", "<dta min"),
    ("IR104", NET, "<dim>3</dim>", "<dmi>3</dmi>"),
    ("IR105", NET, 'id="1" precision="FP32"', 'id="1" precison="FP32"'),
    ("IR105", NET, "to-layer", "to-laier"),
    ("IR107", TILE, '<port id="1"', '<port id="0"'),
    ("IR301", NET, '"Result"', '"result"'),
    ("IR301", NET, '"Clamp"', '"Clmap"'),
    ("IR302", NET, 'min="0"', 'mim="0"'),
    ("IR305", CONST, 'element_type="f32"', 'element_type="f3"'),
]


@pytest.mark.parametrize(("code", "good", "old", "new"), SAFE)
def test_safe_fixes(fixer: Fixer, code: str, good: str, old: str, new: str) -> None:
    bad = good.replace(old, new, 1)
    assert bad != good
    outcome = fixer(bad)
    assert [item.code for item in outcome.applied] == [code]
    assert (outcome.data.decode(), len(outcome.left)) == (good, 0)


@pytest.mark.parametrize(("code", "good", "old", "new"), UNSAFE)
def test_unsafe_fixes(fixer: Fixer, code: str, good: str, old: str, new: str) -> None:
    bad = good.replace(old, new, 1)
    assert bad != good
    assert fixer(bad).data == bad.encode()
    outcome = fixer(bad, unsafe=True)
    assert [item.code for item in outcome.applied] == [code]
    wanted = good.replace("clip", "clip &amp; cut") if new == "clip & cut" else good
    assert (outcome.data.decode(), [item.code for item in outcome.left]) == (wanted, [])


def test_an_operation_of_a_later_opset_is_given_that(fixer: Fixer) -> None:
    text = NET.replace('type="Clamp" version="opset1"', 'type="Mish" version="opset1"')
    text = text.replace('            <data min="0" max="6"/>\n', "")
    outcome = fixer(text, unsafe=True)
    assert (outcome.data.decode(), len(outcome.left)) == (
        text.replace('"Mish" version="opset1"', '"Mish" version="opset4"'),
        0,
    )


def test_an_attribute_that_is_there_already_is_not_written_twice(fixer: Fixer) -> None:
    text = NET.replace('max="6"', 'max="6" mxa="7"')
    outcome = fixer(text, unsafe=True)
    assert (outcome.data.decode(), [item.code for item in outcome.left]) == (text, ["IR302"])


@pytest.mark.sample(4)
@pytest.mark.parametrize("page", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_fixes_of_examples_are_idempotent_and_add_nothing(page: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    assert examples(page)
    for example in examples(page):
        folder = tmp_path / example.name
        folder.mkdir()
        check = partial(found, example.written(folder), example)
        with subtests.test(example=example.name):
            once = apply_fixes(example.data, check, unsafe=True)
            again = apply_fixes(once.data, check, unsafe=True)
            assert (again.data, again.applied) == (once.data, ())
            if not once.applied:
                assert once.data == example.data


def found(path: Path, example: Example, data: bytes) -> Sequence[Diagnostic]:
    return lint(path, data=data, **example.settings)
