"""``irrun embed``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from irrun.generation import TextEmbeddingPipeline
from tests.cli.conftest import Run, one_line
from tests.generation.conftest import Copy, copied
from tests.generation.test_embedding import encoder

__all__ = ["copied"]


def test_the_command(copied: Copy, run: Run, tmp_path: Path) -> None:
    folder = encoder(copied())
    result = run("embed", folder, "Otto", "Otto", "Once", "--pooling", "mean", "-o", tmp_path / "v.npy")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith("embeddings  f32[3,6]")
    assert result.stdout.splitlines()[1].startswith(" 1.000   1.000  ")
    found = np.load(tmp_path / "v.npy")
    expected = TextEmbeddingPipeline(folder, pooling_type="mean").embed_documents(["Otto", "Otto", "Once"])
    np.testing.assert_array_equal(found, expected)
    (tmp_path / "texts.txt").write_text("Otto\n\nOnce\n")
    listed = run("embed", folder, "--file", tmp_path / "texts.txt", "--pooling", "mean", "--json")
    record = json.loads(listed.stdout)["embeddings"]
    assert [item["text"] for item in record] == ["Otto", "Once"]
    np.testing.assert_allclose([item["embedding"] for item in record], expected[1:], rtol=1e-6)


def test_misuse_of_the_command(copied: Copy, run: Run) -> None:
    folder = encoder(copied())
    assert "no texts, expected some as arguments or in --file" in run("embed", folder).stderr
    assert (
        "--query cannot be combined with --pooling"
        in run("embed", folder, "a", "--query", "b", "--pooling", "cls").stderr
    )
    assert one_line(run("embed", folder, "a", "--query", "b")).endswith("expected one score for each text")
