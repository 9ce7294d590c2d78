"""The tests with other versions of Python and of the dependencies, and the checks of the package.

``nox -f tools/noxfile.py``            the quick tier with each version of Python that is at hand
``nox -f tools/noxfile.py -s lowest``  with the oldest versions of the dependencies that are allowed
``nox -f tools/noxfile.py -s extras``  the package alone, and with each extra
``nox -f tools/noxfile.py -s types``   the share of the public interface whose types a type checker knows
``nox -f tools/noxfile.py -s package`` build it twice, compare, and check it; the result is in ``dist/``,
                                       and the bill of materials in ``build/``
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import nox

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
DIGITS = "examples/digits/model.xml", "-i", "image=examples/digits/seven.npy", "--top", "1"

LEAST_KNOWN = 0.99
"""The share of the names of the public interface whose types have to be known."""

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["tests"]


@nox.session(python=VERSIONS)
def tests(session: nox.Session) -> None:
    """Run the quick tier with the newest dependencies."""
    session.chdir(ROOT)
    session.install("-e", ".[test]")
    session.run("pytest", "-q", "-n", "auto", *session.posargs)


@nox.session(python=VERSIONS[0])
def lowest(session: nox.Session) -> None:
    """Run what needs nothing but the dependencies, in their oldest versions."""
    session.chdir(ROOT)
    oldest = [requirement.replace(">=", "==") for requirement in PROJECT["dependencies"]]
    session.install(".", *oldest, "pytest>=9", "pytest-random-order", "pytest-xdist", "hypothesis")
    session.run("irrun", "run", *DIGITS)
    session.run("irrun", "lint", "examples/digits/model.xml")


@nox.session(python=VERSIONS[0])
@nox.parametrize("extra", ["", *sorted(PROJECT["optional-dependencies"].keys() - {"benchmark", "fast", "test"})])
def extras(session: nox.Session, extra: str) -> None:
    """Run a model with the package alone, and with an extra."""
    session.chdir(ROOT)
    session.install(f".[{extra}]" if extra else ".")
    session.run("irrun", "run", *DIGITS)


@nox.session(python=VERSIONS[1])
def types(session: nox.Session) -> None:
    """Fail where pyright knows the types of too few names of the public interface."""
    session.chdir(ROOT)
    session.install(".", "pyright")
    verify = "pyright", "--verifytypes", "irrun", "--ignoreexternal", "--outputjson"
    found = json.loads(str(session.run(*verify, silent=True, success_codes=[0, 1])))["typeCompleteness"]
    counts, share = found["exportedSymbolCounts"], found["completenessScore"]
    session.log(f"{share:.2%} of {sum(counts.values())} names have a known type")
    if share < LEAST_KNOWN:
        unknown = [item["name"] for item in found["symbols"] if item["isExported"] and item["isTypeAmbiguous"]]
        session.error(f"{share:.2%} is below {LEAST_KNOWN:.0%}; without a known type: {', '.join(unknown)}")


@nox.session(python=VERSIONS[1])
def package(session: nox.Session) -> None:
    """Build the archives twice from clean clones, compare them, and check them."""
    session.chdir(ROOT)
    session.install("build", "twine", "check-wheel-contents", "cyclonedx-bom", "pip-audit")
    stamp = str(session.run("git", "log", "-1", "--format=%ct", external=True, silent=True)).strip()
    archives = []
    for number in range(2):
        clone = Path(session.create_tmp()) / f"clone-{number}"
        session.run("rm", "-rf", str(clone), external=True)
        session.run("git", "clone", "-q", str(ROOT), str(clone), external=True)
        target = ROOT / "dist" if number == 0 else clone / "dist"
        session.run("python", "-m", "build", "-o", str(target), str(clone), env={"SOURCE_DATE_EPOCH": stamp})
        made = sorted(path for path in target.iterdir() if path.name.startswith("irrun-"))
        archives.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in made})
    if archives[0] != archives[1]:
        session.error(f"two builds of one commit differ: {archives}")
    names = [str(ROOT / "dist" / name) for name in archives[0]]
    session.run("twine", "check", "--strict", *names)
    session.run("check-wheel-contents", *[name for name in names if name.endswith(".whl")])
    alone = Path(session.create_tmp()) / "alone"
    session.run("python", "-m", "venv", "--clear", "--without-pip", str(alone))
    wheel = next(name for name in names if name.endswith(".whl"))
    session.run("python", "-m", "pip", "--python", str(alone / "bin" / "python"), "install", wheel)
    bill = ROOT / "build" / "irrun.cdx.json"
    bill.parent.mkdir(exist_ok=True)
    session.run("cyclonedx-py", "environment", "--output-file", str(bill), str(alone / "bin" / "python"))
    audit = ROOT / "build" / "audit.json"
    place = str(next(alone.glob("lib/*/site-packages")))
    session.run("pip-audit", "--path", place, "--format", "json", "--output", str(audit))
    found = json.loads(audit.read_text(encoding="utf-8"))["dependencies"]
    skipped = [item["name"] for item in found if "skip_reason" in item and item["name"] != "irrun"]
    if skipped:
        session.error(f"the index knows nothing of the vulnerabilities of {', '.join(skipped)}")
