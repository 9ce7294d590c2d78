"""irrun compare --all: the table of layers, and how they are matched."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.cases import f32
from tests.cli.comparing import compared
from tests.cli.conftest import Run
from tests.nets import Net


def chain(path: Path, *layers: tuple[str, float], prefix: str = "") -> Path:
    """Write a chain of layers with a constant, such as ("Add", 2), called prefix and number."""
    made = Net()
    at = made.parameter("x", "1,3")
    for index, (type, value) in enumerate(layers):
        name = f"{prefix}{index}"
        at = made.layer(type, [at, made.constant(f32([value]))], name=name, tensor=f"t{name}")
    made.result(at)
    return made.save(path)


def test_all_layers_and_what_each_inherits(run: Run, tmp_path: Path) -> None:
    """A layer behind the first that differs has no error of its own."""
    np.save(tmp_path / "x.npy", f32([[1, 2, 3]]))
    first = chain(tmp_path / "a.xml", ("Add", 1), ("Add", 2), ("Maximum", 1), ("Add", 5))
    second = chain(tmp_path / "b.xml", ("Add", 1), ("Add", 3), ("Maximum", 1), ("Add", 9))
    (pair,) = compared(run, first, second, "-i", tmp_path / "x.npy", "--all", status=1)["pairs"]
    table = pair["table"]
    assert [item["layer"] for item in table] == ["0", "1", "2", "3"]
    assert [item["max"] for item in table] == [0, 1, 1, 5]
    assert [item["own_max"] for item in table] == [0, 1, 0, 4]
    assert [(item["differs"], item["errs"]) for item in table] == [(0, 0), (1, 1), (1, 0), (1, 1)]
    assert [len(item["constants"]) for item in table] == [0, 1, 0, 1]
    text = run("compare", first, second, "-i", tmp_path / "x.npy", "--all").stdout
    assert [line.split()[-1] for line in text.splitlines()[2:5]] == ["errs", "differs", "errs"]


def test_all_layers_of_equal_models(run: Run, tmp_path: Path) -> None:
    model = chain(tmp_path / "a.xml", ("Add", 1), ("Add", 2))
    (pair,) = compared(run, model, model, "--all", status=0)["pairs"]
    assert (pair["layer"], pair["layers"], len(pair["table"])) == (None, 2, 2)


def test_fail_fast_ends_at_the_first_layer(run: Run, tmp_path: Path) -> None:
    first = chain(tmp_path / "a.xml", ("Add", 1), ("Add", 2), ("Add", 5))
    second = chain(tmp_path / "b.xml", ("Add", 1), ("Add", 3), ("Add", 9))
    (pair,) = compared(run, first, second, "--all", "--fail-fast", status=1)["pairs"]
    assert [item["layer"] for item in pair["table"]] == ["0", "1"]


def test_layers_with_other_names_are_matched_by_value(run: Run, tmp_path: Path) -> None:
    first = chain(tmp_path / "a.xml", ("Add", 1), ("Maximum", 2), ("Add", 5))
    second = chain(tmp_path / "b.xml", ("Add", 1), ("Maximum", 7), ("Add", 5), prefix="other")
    (pair,) = compared(run, first, second, "--all", status=1)["pairs"]
    assert [(item["layer"], item["other"], item["how"]) for item in pair["table"]] == [
        ("0", "other0", "value"),
        ("1", "other1", "value"),
        ("2", "other2", "value"),
    ]
    assert pair["layer"]["name"] == "1"


def test_a_product_of_which_a_factor_has_moved_has_no_counterpart(run: Run, tmp_path: Path) -> None:
    """A factor of 2 has moved from one product to the other."""
    first = chain(tmp_path / "a.xml", ("Multiply", 2), ("Maximum", 0), ("Multiply", 3))
    second = chain(tmp_path / "b.xml", ("Multiply", 1), ("Maximum", 0), ("Multiply", 6), prefix="other")
    (pair,) = compared(run, first, second, "--all", status=0)["pairs"]
    assert [item["layer"] for item in pair["table"]] == ["2"]
