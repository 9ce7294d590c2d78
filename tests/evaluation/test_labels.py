"""Labels from tables, names of classes, and the inputs that labels belong to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch.items import BatchItem
from irrun.evaluation.files.labels import labels_of, read_classes, read_labels
from tests.cases import i64

Table = Callable[..., Path]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Write a file and return its path."""

    def write(text: str | bytes, name: str = "labels.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.csv", "name,label\ncat.jpg,3\nb/dog.jpg,-1\n"),
        ("labels.csv", 'cat.jpg,3\n"b/dog.jpg",-1'),
        ("labels.csv", "\ufefffile;class\r\ncat.jpg;3\r\n\r\nb\\dog.jpg;-1\r\n"),
        ("labels.tsv", "cat.jpg\t3\n./b/dog.jpg\t-1\n"),
        ("val.txt", "cat.jpg 3\nb/dog.jpg -1\n"),
    ],
)
def test_tables_of_names(table: Table, name: str, text: str) -> None:
    found = read_labels(table(text, name))
    assert isinstance(found, Mapping)
    assert {key: (value.dtype, value.tolist()) for key, value in found.items()} == {
        "cat.jpg": (np.dtype(np.int64), 3),
        "b/dog.jpg": (np.dtype(np.int64), -1),
    }


def test_several_numbers_and_labels_in_order(table: Table) -> None:
    found = read_labels(table("x,0.5,1\ny,2,3e2\n"))
    assert isinstance(found, Mapping)
    assert {name: value.tolist() for name, value in found.items()} == {"x": [0.5, 1], "y": [2, 300]}
    ordered = read_labels(table("label\n4\n0\n", "y.txt"))
    assert isinstance(ordered, np.ndarray)
    assert (ordered.dtype, ordered.tolist()) == (np.int64, [4, 0])


def test_names_of_classes(table: Table) -> None:
    classes = read_classes(table("tabby cat\npug\n\n", "names.txt"))
    assert classes == ["tabby cat", "pug"]
    found = read_labels(table("file,label\na.png,pug\nb.png,tabby cat\nc.png,1\n"), classes)
    assert isinstance(found, Mapping)
    assert {name: int(value) for name, value in found.items()} == {"a.png": 1, "b.png": 0, "c.png": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.png,pug\nb.png,1\nc.png,cat\n", ':3: no class "cat", expected a number; --classes names the classes'),
        ("a,1\nb,2,3\n", ":2: 3 columns, expected 2 as in the lines before"),
        ("a,1\na,2\n", ":2: a has two labels, expected one"),
        ("name,label\n", " has no labels, expected lines of a name and a label"),
        ("", " has no labels, expected lines of a name and a label"),
        ("a," + "9" * 30, " has no labels, expected lines of a name and a label"),
        ('a,1\n"b,2\n', " cannot be read as a table: unexpected end of data"),
        (b"\xff\xfe1", " is not text in UTF-8"),
    ],
)
def test_tables_that_are_refused(table: Table, text: str | bytes, message: str) -> None:
    path = table(text)
    with pytest.raises(RequestError) as error:
        read_labels(path)
    assert str(error.value) == f"{path}{message}"


def test_classes_that_are_refused(table: Table) -> None:
    for text, message in (("a\nb\na\n", 'has "a" twice'), ("\n", "has no names")):
        with pytest.raises(RequestError, match=message):
            read_classes(table(text))
    with pytest.raises(RequestError, match=r'labels\.csv:2: no class "pig"; did you mean pug\?'):
        read_labels(table("a,pug\nb,pig\n"), ["cat", "pug"])


def test_the_inputs_that_names_belong_to() -> None:
    items = [BatchItem("in/a/x.png", "a/x"), BatchItem("in/b/x.png", "b/x"), BatchItem("in/b/y.jpg", "b/y")]
    for names in (
        ("a/x", "b/x", "b/y"),
        ("a/x.png", "b/x.png", "b/y.jpg"),
        ("a/x", "b/x.png", "y"),
        ("a/x", "b/x", "y.jpg"),
    ):
        labels = {name: i64(number) for number, name in enumerate(names)}
        assert [int(label) for label in labels_of(items, labels)] == [0, 1, 2]
    with pytest.raises(RequestError, match=r"in/a/x\.png has no label"):
        labels_of(items, {"x.png": i64(0), "y.jpg": i64(1)})
    with pytest.raises(RequestError, match="there are 2 labels, expected 3, one for each file"):
        labels_of(items, i64([0, 1]))
