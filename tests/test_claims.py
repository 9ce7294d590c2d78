"""Numbers that pages state: those of the code, of a specification, or of a record of a measurement.

What executed blocks, generated parts and generated pages say is compared by ``tools/generate.py --check``.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from irrun.document import files, weights
from irrun.generation import rendering
from irrun.inference import fold
from irrun.linter import baseline
from irrun.ops import Op
from irrun.ops._declared.convolution import spatial
from irrun.ops.registry import LATEST, declarations
from irrun.runtime import budget
from irrun.settings import values
from tests.lab.faults.events import FAULTS, OF_WEIGHTS, faults_of
from tests.lab.faults.paths import PATHS
from tests.ops import test_workspace_bounds

ROOT: Final = Path(__file__).resolve().parents[1]
GENERATED: Final = {
    "commands",
    "conformance",
    "legacy-attributes",
    "openvino-api",
    "operations",
    "performance",
    "read-model",
}
NUMBER: Final = re.compile(
    r"\d[\d,.]*\s?(?:%|(?:[mµn]?s|seconds?|minutes?|hours?|[kMGT]i?B|per cent|times|megabytes)\b)"
)
"""A number with a unit of time or memory, or a share."""

EXECUTED: Final = re.compile(r"<!-- ([\w-]+): begin -->.*?<!-- \1: end -->|^```.*?^```$|`[^`\n]*`", re.M | re.S)


@cache
def record(name: str) -> Any:
    return json.loads((ROOT / "docs" / "data" / name).read_text(encoding="utf-8"))


def share(change: str) -> float:
    """Return the share of wrong sizes or ranks that the laboratory finds."""
    found: dict[str, int] = record("verdicts.json")[change]
    return 100 * found["found"] / found["changed"]


def pairs() -> int:
    return sum(len(faults_of(path)) for path in PATHS.values())


def error_of(model: str) -> float:
    """Return the relative error of irrun beside OpenVINO, in per cent, as measured with AVX-512."""
    page = (ROOT / "docs" / "measurements" / "avx512.md").read_text(encoding="utf-8")
    _, _, tables = page.partition("## Agreement with OpenVINO")
    relative, _ = re.findall(rf"^\| {model} \| (\S+) \|", tables, re.M)
    return 100 * float(relative)


RENAME: Final = record("figures.json")["rename a layer beside 1 GiB of weights, peak MiB"]
CLAIMS: Final = (
    ("README.md", "every operation of opset1 to opset{}", LATEST),
    ("SECURITY.md", "a weights file of more than {} MiB", weights.COPIED >> 20),
    ("SECURITY.md", "{} pairs, which the tests run", pairs()),
    ("SECURITY.md", "58 pairs ran 200 times each, {:,} faults in all", 58 * 200),
    ("docs/index.md", "Every operation of opset1 to opset{}", LATEST),
    ("docs/architecture.md", "Outputs of more than {:,} elements are not folded", fold.MOST_ELEMENTS),
    ("docs/editing.md", "with 1 GiB of weights takes {} MiB of memory", RENAME["irrun"]),
    ("docs/editing.md", "(OpenVINO: {:,} MiB;", RENAME["OpenVINO"]),
    (
        "docs/openvino-faults.md",
        "{} releases from 2023.3 to 2026.4.1 were asked for the smallest test",
        len(record("openvino-departures.json")["releases"]),
    ),
    ("docs/openvino-faults.md", "differs by {:.1f} % of the largest value", error_of("t5-small-encoder")),
    ("docs/releasing.md", "at least {} % of all names", 99),
    ("docs/robustness.md", "| {:.0f} % of the free memory |", 100 * budget.SHARE),
    ("docs/robustness.md", "| iterations of each loop | {:,} |", budget.MOST_ITERATIONS),
    ("docs/robustness.md", "inputs and outputs: {} by default", Op.workspace),
    ("docs/robustness.md", "than it declares and {} MiB of blocks", test_workspace_bounds.BLOCKS >> 20),
    ("docs/robustness.md", "its spatial sizes by more than {} times", spatial._MOST_PADDING),
    ("docs/robustness.md", "may have {} MiB, keys of", files.MOST_CONFIGURATION >> 20),
    ("docs/robustness.md", "and {:,} patterns of files", values.MOST_PATTERNS),
    ("docs/robustness.md", "a baseline may have {} MiB", baseline.MOST_BYTES >> 20),
    ("docs/text.md", "for {:.0f} seconds and with", rendering._SECONDS),
    ("docs/text.md", "seconds and with {} MiB at most", rendering._MEMORY >> 20),
    ("docs/verdicts.md", "of {:,} wrong sizes", record("verdicts.json")["size"]["changed"]),
    ("docs/verdicts.md", "sizes {:.0f} % are found", share("size")),
    ("docs/verdicts.md", "of {:,} wrong ranks", record("verdicts.json")["rank"]["changed"]),
    ("docs/verdicts.md", "wrong ranks {:.1f} %", share("rank")),
)
"""Pages, what they say, and the number."""


def pages() -> list[Path]:
    """Return the pages whose numbers have a source; those of decisions were measured when these were made."""
    return [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(("page", "text", "number"), CLAIMS)
def test_a_page_says_the_number(page: str, text: str, number: Any) -> None:
    assert text.format(number) in (ROOT / page).read_text(encoding="utf-8")


def test_numbers_with_a_unit_have_a_source() -> None:
    unknown = []
    for path in pages():
        if path.stem in GENERATED:
            continue
        page = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        known = [text.format(number) for claimed, text, number in CLAIMS if claimed == page]
        spans = [match.span() for match in EXECUTED.finditer(text)]
        spans += [match.span() for claim in known for match in re.finditer(re.escape(claim), text)]
        unknown += [
            (page, text[max(0, match.start() - 40) : match.end() + 20])
            for match in NUMBER.finditer(text)
            if not any(begin <= match.start() and match.end() <= end for begin, end in spans)
        ]
    assert unknown == []


def test_faults_of_processes_and_disks() -> None:
    numbers = {7: "Seven", 18: "eighteen", 2: "two", 5: "five"}
    of_weights = sum(path.large for path in PATHS.values())
    assert (
        f"{numbers[len(FAULTS)]} faults meet {numbers[len(PATHS)]} paths on which irrun writes a file, "
        f"{numbers[len(OF_WEIGHTS)]} of them only the {numbers[of_weights]} paths that read large weights"
    ) in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_kernels_are_compiled_in_a_minute_or_so() -> None:
    """Two cores share the work."""
    assert 45 < record("figures.json")["build the kernels of this processor, processor seconds"] / 2 < 90
    for page in ("README.md", "kernels/README.md", "docs/tutorial.md", "docs/running.md"):
        assert "about a minute" in (ROOT / page).read_text(encoding="utf-8")


def test_operations_of_tokenizers() -> None:
    count = len({cls.spec.type for cls in declarations() if cls.spec.category == "tokenizers"})
    assert f"the {count} operations of [OpenVINO Tokenizers]" in (ROOT / "docs" / "tokenizers.md").read_text("utf-8")
