"""The package as an index shows and installs it: links, versions, examples, schemas."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import irrun

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/irrun/irrun"
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOXFILE = (ROOT / "tools" / "noxfile.py").read_text(encoding="utf-8")
LARGEST_WHEEL = 2_300_000
"""Bytes; a larger one says so by changing the number."""

MOST_MODULES = 40
"""Modules of irrun that ``import irrun`` loads."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def wrong_links(page: Path) -> list[str]:
    """Return links of a page to this repository by its address, and to files that do not exist."""
    links = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert page.name != "README.md" or page.parent != ROOT or len(links) > 10
    own = [link for link in links if "://" not in link and link.partition("#")[0]]
    absent = [link for link in own if not (page.parent / link.partition("#")[0]).exists()]
    return [*(link for link in links if link.startswith(f"{REPOSITORY}/")), *absent]


def test_links_within_the_repository_are_relative() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 100
    found = {str(page.relative_to(ROOT)): wrong_links(page) for page in pages}
    assert {page: links for page, links in found.items() if links} == {}


def test_what_the_readme_installs_exists() -> None:
    extras = set(re.findall(r"'\.\[([a-z]+)\]'", README))
    assert {"docs", "text", "test"} <= extras <= set(PROJECT["project"]["optional-dependencies"])


def test_commands_of_the_readme_say_where_they_run() -> None:
    bare = re.search(r"^irrun ", README, re.M)
    assert bare is not None
    assert README.index(". .venv/bin/activate") < bare.start()


@pytest.mark.parametrize("page", ["docs/ci.md"])
def test_tags_are_named_after_the_version(page: str) -> None:
    tags = re.findall(r"(?:irrun@|rev: )(\S+)", (ROOT / page).read_text(encoding="utf-8"))
    assert len(tags) >= 2
    assert {*tags} == {f"v{irrun.__version__}"}


def test_the_source_holds_sources_only() -> None:
    """What tests or builds leave in the folder of the project would be packed with it."""
    known = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))}
    assert known - {"build", "dist", "mutants"} <= {
        "benchmarks",
        "docs",
        "examples",
        "irrun",
        "kernels",
        "schemas",
        "tests",
        "tools",
    }
    assert not list(ROOT.glob("*/*.blob"))


def test_both_packages_have_the_licence() -> None:
    assert (ROOT / "kernels" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_one_version() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "irrun/diagnostics/version.py"
    assert PROJECT["project"]["optional-dependencies"]["fast"] == [f"irrun-kernels=={irrun.__version__}"]
    kernels = (ROOT / "kernels" / "irrun_kernels" / "__init__.py").read_text(encoding="utf-8")
    assert f'__version__ = "{irrun.__version__}"' in kernels
    assert f"## {irrun.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {irrun.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_workflows_run_what_exists() -> None:
    sessions = set(re.findall(r"^@nox\.session.*?^def (\w+)\(", NOXFILE, re.M | re.S))
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    named = [name for names in re.findall(r"nox -f tools/noxfile\.py -s (.+)", text) for name in names.split()]
    assert {"types", "package"} <= set(named) <= sessions
    scripts = re.findall(r"python ([\w/]+\.py)", text)
    assert len(scripts) > 2
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


def test_actions_are_pinned_by_their_commits() -> None:
    """A tag of an action can be moved; Dependabot proposes newer commits."""
    files = [*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "action.yml"]
    used = [line for file in files for line in re.findall(r"uses: (.+)", file.read_text(encoding="utf-8"))]
    assert len(used) > 10
    assert [line for line in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


def test_nothing_but_archives_is_published() -> None:
    """The action that publishes takes every file of the folder."""
    assert re.findall(r'ROOT / "dist" / "[^"]*"', NOXFILE) == []


def test_examples_and_schemas_come_with_the_wheel(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shared = f"irrun-{irrun.__version__}.data/data/share/irrun"
    for folder in ("examples", "schemas"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert len(files) > 2
        assert {f"{shared}/{path.relative_to(ROOT)}" for path in files} <= names
    assert Path(wheel).stat().st_size < LARGEST_WHEEL
    assert [name for name in names if name.startswith("tests/") or "/tests/" in name] == []
    assert {"irrun/py.typed", f"irrun-{irrun.__version__}.dist-info/licenses/LICENSE"} <= names


def test_importing_the_package_loads_little() -> None:
    code = "import sys, irrun; print(*sorted(name for name in sys.modules if name.partition('.')[0] == 'irrun'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stdout.split()) <= MOST_MODULES
