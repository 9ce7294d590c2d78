"""The documentation site is built without a warning, and its search finds codes, operations and names."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "build_site.py"

pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("zensical", "mkdocstrings"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"not installed: {package}")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, str(TOOL), str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return folder / "site"


@pytest.mark.parametrize(
    ("word", "page"),
    [("IR401", "rules/wrong-output-dims/"), ("Convolution", "operations/"), ("beam_idx", "text/"), ("Core", "api/")],
)
def test_the_search_finds(site: Path, word: str, page: str) -> None:
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    found = [item["location"] for item in index["items"] if word in f"{item['title']} {item['text']}"]
    assert any(place.startswith(page) for place in found), found


def test_each_page_is_there(site: Path) -> None:
    pages = {path.relative_to(site).parent.as_posix() for path in site.rglob("index.html")}
    assert {"tutorial", "api", "commands", "rules", "rules/wrong-output-dims", "decisions/0014-tests"} <= pages
