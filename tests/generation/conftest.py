"""The folder of the little language model, and copies of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irrun.generation import TextPipeline

STORIES = Path(__file__).resolve().parents[2] / "examples" / "stories"

Copy = Callable[..., Path]


@pytest.fixture(scope="session")
def stories() -> TextPipeline:
    """The pipeline of the example."""
    return TextPipeline(STORIES)


@pytest.fixture
def copied(tmp_path: Path) -> Copy:
    """Return a function that copies the example, with other settings in some of its JSON files."""

    def copy(files: dict[str, Any] | None = None, texts: dict[str, str] | None = None) -> Path:
        folder = tmp_path / "model"
        shutil.copytree(STORIES, folder, ignore=shutil.ignore_patterns("*.py"))
        for name, entries in (files or {}).items():
            path = folder / name
            known = json.loads(path.read_text()) if path.exists() else {}
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps({**known, **entries}))
        for name, text in (texts or {}).items():
            (folder / name).write_text(text)
        return folder

    return copy
