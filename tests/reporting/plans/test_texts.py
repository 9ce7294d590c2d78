"""The graphs and programs of small networks are as they were; ``python -m tests.reporting.plans`` writes them again."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("irrun_kernels", reason="programs are those of compiled kernels")

from tests.reporting.plans.nets import NETS
from tests.reporting.plans.texts import FOLDER, texts


@pytest.mark.parametrize("name", NETS)
def test_what_runs_is_as_it_was(name: str, tmp_path: Path) -> None:
    for kind, text in texts(name, tmp_path).items():
        assert text == (FOLDER / f"{name}.{kind}").read_text(encoding="utf-8"), f"{name}.{kind}"


def test_there_are_no_other_texts() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.{kind}" for name in NETS for kind in ("graph", "plan")}
