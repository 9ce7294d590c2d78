"""Builds the documentation site: ``python tools/build_site.py [FOLDER]``, by default ``build/site``.

A warning, such as a link without a target, is an error.
Pages are also read in the repository. In a copy of ``docs/``, links out of it lead to the repository, and links to
folders to their index; Zensical makes the site of that copy.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
_LINK: Final = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")


def build(folder: Path) -> int:
    """Build the site in ``folder/site``; return the exit status, which is 1 for a warning."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    repository = re.search(r"^repo_url: (.*)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    assert repository is not None
    for page in (folder / "docs").rglob("*.md"):
        inside = page.parent.relative_to(folder).as_posix()
        page.write_text(_on_site(page.read_text(encoding="utf-8"), inside, repository[1]), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "zensical",
        "build",
        "--clean",
        "--strict",
        "--config-file",
        str(folder / "mkdocs.yml"),
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _on_site(markdown: str, folder: str, repository: str) -> str:
    """Return the text of a page in a folder with links that work on the site."""

    def linked(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        path = ROOT / target
        if target.startswith("docs/") and (path / "README.md").exists():
            return f"{match[1]}{match[2].rstrip('/')}/README.md{match[3]}"
        if target.startswith("docs/") and path.is_file():
            return match[0]
        return f"{match[1]}{repository}/{'tree' if path.is_dir() else 'blob'}/main/{target}{match[3]}"

    return _LINK.sub(linked, markdown)


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()))
