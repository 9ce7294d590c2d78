"""The XML examples of the specification pages, linted as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from irrun.linter import lint
from irrun.linter.given import UnknownPort, Values

PAGES = Path(__file__).parent / "pages"
LOST = "the closing tag of <dim> has lost its <; <dim>5</dim> was meant"
REPEATED = 'port id "1" is repeated in <input>; id="2" was meant'
PADS: Values = [("pads_begin", [0, 5, 2, 1]), ("pads_end", [1, 0, 3, 7])]

# page, findings (row, column, end column, code, message), values of its inputs according to its comments
EXAMPLES: list[tuple[str, list[tuple[int, int, int, str, str]], Values]] = [
    ("tile_1", [], [("1", [1, 2, 3])]),
    ("tile_2", [(14, 20, 25, "IR101", LOST)], [("repeats", [5, 1, 2, 3])]),
    ("tile_3", [], [("1.repeats", [1, 2, 3])]),
    ("concat_1", [], []),
    ("concat_2", [], []),
    ("broadcast_1", [], [("1", [1, 16, 50, 50])]),
    (
        "broadcast_2",
        [(10, 11, 12, "IR107", REPEATED)],
        [("target_shape", [1, 16, 50, 50]), ("axes_mapping", [1])],
    ),
    (
        "broadcast_3",
        [(11, 11, 12, "IR107", REPEATED)],
        [("1", [1, 50, 50, 16]), ("1", [1, 2])],
    ),
    ("broadcast_4", [], [("1", [1, 1, 50, 50])]),
    ("pad_1", [], [*PADS, ("pad_value", [15.0])]),
    (
        "pad_2",
        [],
        [("1", [0, -2, -8, 1]), ("2", [-1, 4, -6, 7]), ("3", [15])],
    ),
    ("pad_3", [], PADS),
]
NAMES = [example[0] for example in EXAMPLES]


def found(path: Path, values: Values = ()) -> list[tuple[int, int, int, str, str]]:
    return [
        (item.place.row, item.place.column, item.place.end_column, item.diagnostic.code, item.diagnostic.message)
        for item in lint(path, values=values).findings()
    ]


def with_another_output(text: str, dim: int) -> tuple[str, int, int] | None:
    """Return the page with one output dim incremented, and the row and column of that dim; None after the last."""
    dims = list(re.finditer(r"<dim>(\d+)", text[text.index("<output>") :]))
    if dim == len(dims):
        return None
    start = text.index("<output>") + dims[dim].start(1)
    end = start + len(dims[dim][1])
    row = text.count("\n", 0, start) + 1
    return text[:start] + str(int(dims[dim][1]) + 1) + text[end:], row, start - text.rfind("\n", 0, start)


def test_all_pages_are_here() -> None:
    assert {path.stem for path in PAGES.glob("*.xml")} == set(NAMES)


@pytest.mark.parametrize(("page", "want", "values"), EXAMPLES, ids=NAMES)
def test_as_printed(page: str, want: list[tuple[int, int, int, str, str]], values: Values) -> None:
    assert found(PAGES / f"{page}.xml") == want
    assert found(PAGES / f"{page}.xml", values) == want


@pytest.mark.parametrize(("page", "want", "values"), EXAMPLES, ids=NAMES)
def test_each_output_dim_is_checked_against_the_values(
    page: str, want: list[tuple[int, int, int, str, str]], values: Values, tmp_path: Path
) -> None:
    text = (PAGES / f"{page}.xml").read_text(encoding="utf-8")
    path = tmp_path / "page.xml"
    dim = 0
    while (changed := with_another_output(text, dim)) is not None:
        path.write_text(changed[0], encoding="utf-8")
        places = {(row, column, code) for row, column, _, code, _ in want} | {(changed[1], changed[2], "IR401")}
        assert {(row, column, code) for row, column, _, code, _ in found(path, values)} == places
        dim += 1
    assert dim == (3 if page == "tile_1" else 4)


def test_without_values_the_rank_and_known_dims_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "page.xml"
    tile = (PAGES / "tile_1.xml").read_text(encoding="utf-8")
    path.write_text(tile.replace("<dim>12</dim>", "<dim>12</dim><dim>1</dim>"))
    assert [item[:4] for item in found(path)] == [(13, 10, 15, "IR401")]
    concat = (PAGES / "concat_1.xml").read_text(encoding="utf-8")
    path.write_text(concat.replace("<dim>56</dim>", "<dim>48</dim>"))
    assert [item[:4] for item in found(path)] == [(26, 18, 20, "IR401")]


def test_all_pages_in_one_file(tmp_path: Path) -> None:
    path, want, row = tmp_path / "pages.xml", [], 0
    text = ""
    for page, findings, _ in EXAMPLES:
        part = (PAGES / f"{page}.xml").read_text(encoding="utf-8")
        want += [(at + row, *rest) for at, *rest in findings]
        row += part.count("\n")
        text += part
    path.write_text(text, encoding="utf-8")
    assert found(path) == want


def test_values_for_one_of_several_layers(tmp_path: Path) -> None:
    path = tmp_path / "layers.xml"
    tile = (PAGES / "tile_1.xml").read_text(encoding="utf-8").replace("...", 'version="opset1"')
    path.write_text(tile + tile.replace("Tile", 'Tile" name="second'))
    assert found(path) == []
    assert [item[0] for item in found(path, [("2.1", [1, 2, 4])])] == [35]
    assert [item[0] for item in found(path, [("second.repeats", [1, 2, 4])])] == [35]
    assert [item[0] for item in found(path, [("1.repeats", [1, 1, 4])])] == [15]
    assert [item[0] for item in found(path, [("repeats", [2, 2, 3])])] == [14, 33]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (("7", [1]), "no port 7 takes a value, expected one of 0, 1, 1.0, 1.1, 1.data, 1.repeats, data, repeats"),
        (("1", [1, 2]), "the value of port 1 has 2 elements, expected those of shape [3]"),
        (("data", [1]), "the value of port data has 1 element, expected those of shape [2,3,4]"),
    ],
)
def test_a_value_that_fits_no_port(value: tuple[str, list[float]], message: str) -> None:
    with pytest.raises(UnknownPort) as caught:
        lint(PAGES / "tile_1.xml", values=[value])
    assert str(caught.value) == message
