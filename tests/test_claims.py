"""Numbers that pages state about irrun are those of the code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from irrun.generation import rendering
from irrun.inference import fold
from irrun.linter import baseline
from irrun.ops import Op
from irrun.ops.registry import LATEST, declarations
from irrun.runtime import budget
from irrun.settings import values

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize(
    ("page", "text", "number"),
    [
        ("index", "Every operation of opset1 to opset{}", LATEST),
        ("../README", "every operation of opset1 to opset{}", LATEST),
        ("architecture", "Outputs of more than {:,} elements are not folded", fold.MOST_ELEMENTS),
        ("robustness", "| iterations of each loop | {:,} |", budget.MOST_ITERATIONS),
        ("robustness", "inputs and outputs: {} by default", Op.workspace),
        ("robustness", "and {:,} patterns of files", values.MOST_PATTERNS),
        ("robustness", "a baseline may have {} MiB", baseline.MOST_BYTES >> 20),
        ("text", "for {:.0f} seconds and with", rendering._SECONDS),
        ("text", "seconds and with {} MiB at most", rendering._MEMORY >> 20),
    ],
)
def test_limits(page: str, text: str, number: Any) -> None:
    assert text.format(number) in (DOCS / f"{page}.md").read_text(encoding="utf-8")


def test_operations_of_tokenizers() -> None:
    count = len({cls.spec.type for cls in declarations() if cls.spec.category == "tokenizers"})
    assert f"the {count} operations of [OpenVINO Tokenizers]" in (DOCS / "tokenizers.md").read_text(encoding="utf-8")


def test_the_accuracy_of_the_example() -> None:
    from click.testing import CliRunner

    from irrun.cli.app import app

    digits = DOCS.parent / "examples" / "digits"
    words = [str(digits / "model.xml"), "--data", str(digits / "heldout_images.npy")]
    words += ["--labels", str(digits / "heldout_labels.npy"), "--metric", "top1"]
    result = CliRunner().invoke(app, ["evaluate", *words], prog_name="irrun")
    assert "top1: 99.17 % (357 of 360)" in result.stdout
    assert "all 360 held-out images (99.17 %)" in (DOCS / "running.md").read_text(encoding="utf-8")
