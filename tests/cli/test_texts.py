"""Texts that commands print: parts of comparisons, sizes, literals, and what they refuse."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli import tables
from irrun.cli.commands.info import _short, size_text
from irrun.cli.comparing import inputs_table, page
from irrun.cli.values import printable
from irrun.generation import Tokenizer
from tests.cli.conftest import Run, one_line
from tests.generation.conftest import Copy, copied
from tests.generation.test_embedding import TEXTS, encoder
from tests.nets import Net

__all__ = ["copied"]

ITEM: dict[str, Any] = {
    "name": "y",
    "type": "f32",
    "shape": [2, 4],
    "differs": True,
    "problem": "",
    "max": 0.5,
    "relative": 0.25,
    "cosine": None,
    "psnr": 20.0,
    "snr": 10.0,
    "ulp": None,
    "beyond": 2,
    "argmax": None,
}
RECORD: dict[str, Any] = {
    "status": "different",
    "verdict": "unknown",
    "cause": "",
    "reason": "why",
    "suspects": [],
    "losses": [],
}


def row(**changes: Any) -> dict[str, Any]:
    return {**ITEM, "layer": "relu", "output": 0, "errs": False, **changes}


def test_slices_of_a_comparison() -> None:
    entry = {"axis": 1, "indices": [0, 1, 3], "size": 4}
    slices = [
        {**entry, "kind": "zero", "zero": "model"},
        {**entry, "kind": "concentrated", "share": 0.75},
        {**entry, "kind": "small", "relative": 0.5},
    ]
    text = page({**RECORD, "outputs": [{**ITEM, "slices": slices}]})
    assert text.splitlines()[2:5] == [
        'output "y", axis 1, 0-1, 3 of 4: 0 throughout in the first model',
        'output "y", axis 1, 0-1, 3 of 4: 75.0% of the squared error',
        'output "y", axis 1, 0-1, 3 of 4: errors of up to 50% of their own magnitude',
    ]
    assert text.splitlines()[-2:] == ["different: 1 of 1 output", "unknown: why"]


def test_layers_that_cannot_be_compared() -> None:
    record = {**RECORD, "outputs": [ITEM], "layer": None, "layers": None, "reason": "not enough memory"}
    assert page(record).splitlines()[-1] == "the layers cannot be compared: not enough memory"


def test_layers_of_equal_outputs() -> None:
    """A layer that differs is named, and nothing else is claimed."""
    layer = {**ITEM, "name": "relu", "type": "ReLU", "other": "relu", "own": None, "constants": ["w"]}
    record = {
        **RECORD,
        "status": "equal",
        "verdict": "equal",
        "reason": "",
        "outputs": [ITEM],
        "layer": layer,
        "layers": 1,
    }
    assert page(record).splitlines()[-2:] == [
        "equal within the tolerances",
        'first layer that differs: ReLU "relu", max 0.5, relative 0.25, constants that differ: "w"',
    ]


def test_constants_that_are_not_in_the_cause() -> None:
    suspect = {"name": "p", "type": "MatMul", "other": "q", "cause": "constant", "what": "", "constants": ["w"]}
    suspect["between"] = {"model": ["a", "p"], "other": ["q"]}
    record = {**RECORD, "verdict": "different", "cause": "constant", "suspects": [suspect], "outputs": [ITEM]}
    assert page(record).splitlines()[-1] == (
        'suspected: MatMul "p" beside "q", constant, constants that differ: "w", in a region of 2 layers beside 1 layer'
    )


def test_rows_of_layers() -> None:
    table = [row(), row(output=1, problem="[2,4] beside [4,2]", errs=True)]
    lines = page({**RECORD, "outputs": [ITEM], "table": table}).splitlines()
    assert lines[1].split() == ["relu", "f32", "[2,4]", "0.5", "0.25", "-", "-", "20.0", "10.0", "-", "differs"]
    assert lines[2].split() == ["relu.1", "f32", "[2,4]", "beside", "[4,2]", *"-------", "errs"]


def test_an_input_of_another_shape() -> None:
    outputs = [{"name": "y", "differs": True, "problem": "[2] beside [3]"}]
    (_, line) = inputs_table([{"name": "a.npy", "status": "different", "outputs": outputs}]).splitlines()
    assert line.split() == ["a.npy", "[2]", "beside", "[3]", "different", "-", "-", "-"]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (12, "12 bytes"),
        (1536, "1.5 KiB (1,536 bytes)"),
        (3 << 20, "3.0 MiB (3,145,728 bytes)"),
        (5 << 30, "5.00 GiB (5,368,709,120 bytes)"),
    ],
)
def test_sizes(count: int, expected: str) -> None:
    assert size_text(count) == expected


@pytest.mark.parametrize(("number", "expected"), [(12, "12 "), (2.5e12, "2.5 T"), (3e15, "3 P"), (4e18, "4e+03 P")])
def test_short_numbers(number: float, expected: str) -> None:
    assert _short(number) == expected


def test_the_width_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr("shutil.get_terminal_size", lambda: np.rec.array([(91, 20)], names="columns,lines")[0])
    assert tables.columns() == 91
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert tables.columns() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Relu", "[1, 2,"), "[1, 2, is neither a file nor a literal"),
        (("Relu", "[-[1], 2]"), "[-[1], 2] is neither a file nor a literal"),
        (("Relu", "[-true]"), "[-true] is neither a file nor a literal"),
        (("Relu", "dynamic:[1]"), "dynamic:[1] cannot be dynamic: a tensor has a type of its own"),
        (("Relu", "[1, 'a']"), "[1, 'a'] mixes text and numbers"),
    ],
)
def test_literals_that_are_none(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("eval", *arguments).stderr


def test_scores_of_texts_in_order(copied: Copy, run: Run) -> None:
    folder = encoder(copied(), scores=1)
    lines = run("embed", folder, *TEXTS, "--query", "Who?").stdout.splitlines()
    assert sorted(line[8:] for line in lines) == sorted(printable(text) for text in TEXTS)
    scores = [float(line[:6]) for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_one_text_has_no_cosines(copied: Copy, run: Run, tmp_path: Path) -> None:
    folder = encoder(copied())
    (line, values) = run("embed", folder, "Otto", "--pooling", "mean").stdout.splitlines()
    assert line.startswith("embeddings  f32[1,6]")
    assert values.startswith("  [[")
    (tmp_path / "texts.txt").write_bytes(b"Otto\n\xff\n")
    assert one_line(run("embed", folder, "--file", tmp_path / "texts.txt")).endswith("texts.txt: byte 5 is not UTF-8")


def ends(path: Path, *names: str) -> Path:
    net = Net()
    inputs = {name: net.parameter(name, "1,2") for name in names}
    net.result(net.layer("Subtract", [inputs["a"], inputs["b"]], name="less", tensor="y"))
    return net.save(path)


def test_inputs_in_another_order(run: Run, tmp_path: Path) -> None:
    found = run("diff", ends(tmp_path / "a.xml", "a", "b"), ends(tmp_path / "b.xml", "b", "a"))
    assert "note: the inputs are in a different order" in found.stderr


@pytest.mark.rest
def test_generation_settings(copied: Copy, run: Run) -> None:
    """Entries of the folder that have no effect are named with -v, its end tokens stay, and scores are in records."""
    folder = copied({"generation_config.json": {"stop_token_ids": [3], "guidance": 4}})
    given = ["generate", folder, "Once upon a time", "--max-new-tokens", 3]
    assert "generation_config.json: guidance has no effect" in run(*given, "-v").stderr
    id = int(Tokenizer(folder).rows([" was"])[0][0])
    assert run(*given, "--stop-id", id).stdout.removesuffix(" was\n").rstrip() == "Once upon a time there"
    record = json.loads(run(*given, "--logprobs", "--json").stdout)
    assert record["texts"][0]["score"] < 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--random", "--stop-at", "nan", "--outputs", "relu"),
            "--outputs and --outputs-by-type choose layers for --dump and --stats",
        ),
        (("--batch", "*.npy", "--mean-values", "a,b"), "'a,b' is not of the form 123.7,116.3,103.5"),
        (
            ("--batch", "*.npy", "-o", "out", "--steps", "--batch-size", "2"),
            "--steps and --batch-size are given, expected only one",
        ),
    ],
)
def test_options_of_run_that_do_not_fit(run: Run, clamp: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("run", clamp, *arguments).stderr
