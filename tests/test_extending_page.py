"""The page about extensions says how many lines its files have, and what they do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.extending import PAGE, blocks, lines, prepared, printed

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_lines_of_the_ten_tasks() -> None:
    stated = dict(re.findall(r"^\| \[.*\| `([\w.]+)`: (\d+) \|$", TEXT, re.MULTILINE))
    found = {block.file: str(lines(block.text)) for block in blocks(TEXT) if block.file in stated}
    assert (stated, len(stated)) == (found, 10)
    assert max(map(int, stated.values())) <= 20


@pytest.mark.rest
@pytest.mark.filterwarnings("ignore")
def test_what_the_page_says(tmp_path: Path) -> None:
    """Run ``python -m tests.extending`` where a command prints something else."""
    pytest.importorskip("distributed", reason="distributed is not installed, the extra distributed")
    with prepared(tmp_path):
        shown = [(block.text, said) for block, said in printed(TEXT, "local")]
    for before, after in shown:
        assert before == after
    assert len(shown) > 12
