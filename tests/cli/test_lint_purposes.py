"""``irrun lint --for``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.generation.conftest import STORIES, Copy, copied

__all__ = ["copied"]


def codes(text: str) -> list[str]:
    return [item["code"] for item in json.loads(text)]


def test_a_language_model(run: Run) -> None:
    result = run("lint", STORIES, "--for", "genai", "--json")
    assert (result.exit_code, codes(result.stdout)) == (0, ["IR704"])
    assert "6 variables grow without a limit, by 1.5 KiB for each token: 48 MiB for 32,768" in result.stdout
    assert codes(run("lint", STORIES, "--json").stdout) == []


def test_an_npu_refuses_open_sizes(run: Run) -> None:
    result = run("lint", STORIES, "--for", "npu", "--json")
    assert result.exit_code == 1
    assert codes(result.stdout) == ["IR708"] * 4


def test_both_at_once_and_in_the_configuration(run: Run, copied: Copy) -> None:
    folder = copied(texts={"irrun.toml": 'for = ["genai", "npu"]\n'})
    assert codes(run("lint", folder, "--json").stdout) == [*["IR708"] * 4, "IR704"]
    both = run("lint", STORIES, "--for", "genai", "--for", "npu", "--json")
    assert sorted(codes(both.stdout)) == ["IR704", *["IR708"] * 4]
    (folder / "irrun.toml").write_text('for = ["gpu"]\n')
    assert 'for is "gpu", expected genai or npu' in run("lint", folder).stderr


def test_the_tokenizer_of_another_model(run: Run, copied: Copy) -> None:
    folder = copied()
    path = folder / "openvino_model.xml"
    text = path.read_text()
    path.write_text(text.replace('shape="640, ', 'shape="600, ').replace("<dim>640</dim>", "<dim>600</dim>"))
    found = run("lint", folder, "--for", "genai", "--select", "IR705").stdout
    assert "the embedding has 600 rows, expected one for each of the 640 tokens of openvino_tokenizer.xml" in found


def test_a_name_that_promises_few_bits(run: Run, copied: Copy, tmp_path: Path) -> None:
    folder = copied()
    renamed = folder.rename(tmp_path / "stories-int8-ov")
    assert codes(run("lint", renamed, "--for", "genai", "--json").stdout) == ["IR704"]
