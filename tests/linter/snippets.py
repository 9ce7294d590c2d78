"""The examples of the rules: Markdown files that one can read, test and print.

``tests/linter/rules/<rule>.md`` holds an example in each section:

* `````xml````` is the file, `````diff````` a change to the first file of the page. Words after it: ``of=Clamp`` makes
  it a change to that file of ``models.md``; ``target-version=2022.3``, ``for=npu`` and the like are settings of the
  linter; ``bom``, ``crlf`` and ``cut`` say that the file begins with a byte order mark, has Windows lines, or ends
  without a newline.
* `````beside````` and a name is another file of the same folder.
* `````weights````` are the bytes of the weights file: ``f32 1.0 nan``, ``zeros 16``, ``hex 00ff``, ``text "…"``.
* `````text````` is the whole output of the linter; without it there is none.

The findings are those of the rule of the page. A comment in the file declares others, or the exact places:

    <!-- expect IR401 @+1 "declared [2,4], inferred [2,3]" -->

``@+1`` is the row below the comment, ``@-1`` the row above it, ``@7`` row 7 of the file; ``@+1:22`` also checks the
column. ``expect nothing`` marks a file that looks odd but is sound. An `````expect````` block holds these lines where
the file cannot hold comments; all its rows count from the start of the file.

After you change a message, run ``python -m tests.linter.snippets`` to write every output again.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.diagnostics.render import Finding, full
from irrun.linter import lint
from irrun.linter.resolving import FIELDS
from irrun.linter.rule import rules
from irrun.settings import SETTINGS

FOLDER: Final = Path(__file__).resolve().parent / "rules"
_SECTION: Final = re.compile(r"^## (?P<title>.*)\n(?P<body>(?:(?!## ).*\n)*)", re.M)
_BLOCK: Final = re.compile(r"^```(?P<kind>\w+)(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
_HUNK: Final = re.compile(r"@@ -(?P<start>\d+)(?:,(?P<count>\d+))? \+\d+(?:,\d+)? @@")
_COMMENT: Final = re.compile(r"<!--\s*(?:(?P<nothing>expect nothing)|expect (?P<expect>IR.*?))\s*-->")
_EXPECTED: Final = re.compile(r'(?P<code>IR\d{3}) @(?P<sign>[+-]?)(?P<row>\d+)(?::(?P<column>\d+))? "(?P<part>.+)"')


class Expected(NamedTuple):
    """An expected finding. ``column`` is None to accept any column."""

    code: str
    row: int
    column: int | None
    part: str

    def is_met(self, finding: Finding) -> bool:
        place = finding.place
        return (
            (finding.diagnostic.code, place.row) == (self.code, self.row)
            and self.column in (None, place.column)
            and self.part in finding.diagnostic.message
        )


@dataclass(frozen=True)
class Example:
    """A file and its findings. ``rule`` is the code of the rule of its page, empty on a page of sound files.

    ``given`` are the settings of the linter, as on its command line. ``expected`` are the declared findings, None where
    there is no declaration. ``output`` is the one of the page.
    """

    page: Path
    title: str
    rule: str
    data: bytes
    weights: bytes | None
    beside: tuple[str, str] | None
    given: dict[str, str]
    expected: tuple[Expected, ...] | None
    output: str

    @property
    def name(self) -> str:
        """The name of the file in the output: the title in lower case, with underscores."""
        return re.sub(r"\W+", "_", self.title.lower()).strip("_") + ".xml"

    @property
    def asked(self) -> set[str]:
        """The codes that are selected explicitly: those of the declared findings, or the rule of the page."""
        codes = {item.code for item in self.expected} if self.expected is not None else {self.rule}
        return codes & rules().keys()

    @property
    def options(self) -> list[str]:
        """The settings as options of ``irrun lint``."""
        return [word for key, text in self.given.items() for word in (f"--{key}", text)]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as fields of `LinterSettings`, with the selected codes."""
        return {"asked": self.asked, **{FIELDS[key]: _setting(key, text) for key, text in self.given.items()}}

    def written(self, folder: Path, name: str = "") -> Path:
        """Write the file with its weights to a folder, and return its path."""
        path = folder / (name or self.name)
        path.write_bytes(self.data)
        if self.weights is not None:
            path.with_suffix(".bin").write_bytes(self.weights)
        if self.beside is not None:
            path.with_name(self.beside[0]).write_text(self.beside[1], encoding="utf-8")
        return path

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """The findings of the linter."""
        return self.findings_as(self.name)

    def findings_as(self, name: str) -> list[Finding]:
        """Return the findings in the file under another name, which is also that of its weights."""
        with tempfile.TemporaryDirectory() as folder:
            path = self.written(Path(folder), name)
            report = lint(path, **self.settings)
            return [dataclasses.replace(item, filename=path.name) for item in report.findings()]

    @property
    def found(self) -> str:
        """The output of the linter."""
        return full(self.findings) + "\n" if self.findings else ""


def examples(page: str = "*") -> list[Example]:
    """Return the examples of a page, or of all pages."""
    return [example for path in sorted(FOLDER.glob(f"{page}.md")) for example in _read(path)]


def example(page: str, title: str) -> Example:
    """Return the example of a page with a title."""
    return next(item for item in examples(page) if item.title == title)


def problems(item: Example) -> Iterator[str]:
    """Yield the expected findings that are missing and the findings that are not expected."""
    left = list(item.findings)
    if item.expected is None:
        codes = [finding.diagnostic.code for finding in left]
        if codes != ([item.rule] if item.output else []):
            yield f"found {codes}"
        return
    for wanted in item.expected:
        met = next((finding for finding in left if wanted.is_met(finding)), None)
        if met is None:
            yield f"not found: {wanted}"
        else:
            left.remove(met)
    for finding in left:
        yield f"not expected: {full([finding])}"


def _read(path: Path) -> Iterator[Example]:
    text = path.read_text(encoding="utf-8")
    names = {rule.name.replace("-", "_"): code for code, rule in rules().items()}
    first: str | None = None
    for section in _SECTION.finditer(text):
        blocks = {found["kind"]: found for found in _BLOCK.finditer(section["body"])}
        kind = "diff" if "diff" in blocks else "xml"
        if kind not in blocks:
            continue
        content = blocks[kind]["text"]
        words = dict(word.partition("=")[::2] for word in blocks[kind]["words"].split())
        if kind == "diff":
            content = _patched(_models()[words["of"]] if "of" in words else first or "", content)
        elif first is None:
            first = content
        yield Example(
            path,
            section["title"],
            names.get(path.stem, ""),
            _encoded(content, words),
            _bytes(blocks["weights"]["text"]) if "weights" in blocks else None,
            (blocks["beside"]["words"].strip(), blocks["beside"]["text"]) if "beside" in blocks else None,
            {key: text for key, text in words.items() if key in FIELDS},
            _declared(content, blocks["expect"]["text"] if "expect" in blocks else None),
            blocks["text"]["text"] if "text" in blocks else "",
        )


@functools.cache
def _models() -> dict[str, str]:
    """Return the files of ``models.md`` by title."""
    return {item.title: item.data.decode() for item in _read(FOLDER / "models.md")}


def _patched(text: str, diff: str) -> str:
    """Apply a unified diff without file names; ValueError where it does not fit."""
    lines, made, at = text.splitlines(keepends=True), [], 0
    for line in diff.splitlines(keepends=True):
        hunk = _HUNK.match(line)
        if hunk is not None:
            start = int(hunk["start"]) - (hunk["count"] != "0")
            made += lines[at:start]
            at = start
        elif line.startswith("+"):
            made.append(line[1:])
        else:
            if lines[at] != line[1:]:
                raise ValueError(f"the diff has {line[1:]!r}, the file {lines[at]!r}")
            made += [lines[at]] if line.startswith(" ") else []
            at += 1
    return "".join(made + lines[at:])


def _setting(key: str, text: str) -> Any:
    """Return the value of a setting that an option gives as text."""
    kind = SETTINGS[key].kind
    match kind.schema.get("type"):
        case "integer":
            return kind.read(int(text))
        case "array":
            return kind.read(text.split(","))
        case _:
            return kind.read(text)


def _encoded(text: str, words: dict[str, str]) -> bytes:
    text = text.removesuffix("\n") if "cut" in words else text
    data = (text.replace("\n", "\r\n") if "crlf" in words else text).encode()
    return b"\xef\xbb\xbf" + data if "bom" in words else data


def _bytes(text: str) -> bytes:
    """Return the bytes that a block of weights describes."""
    parts = []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        match kind:
            case "zeros":
                parts.append(bytes(int(rest)))
            case "hex":
                parts.append(bytes.fromhex(rest))
            case "text":
                parts.append(json.loads(rest).encode())
            case _:
                dtype = np.dtype(kind[0] + str(int(kind[1:]) // 8))
                parts.append(np.array(rest.split()).astype(dtype).tobytes())
    return b"".join(parts)


def _declared(text: str, beside: str | None) -> tuple[Expected, ...] | None:
    if beside is not None:
        text = "".join(f"<!-- {line} -->\n" for line in beside.splitlines())
    found = list(_COMMENT.finditer(text))
    if not found:
        return None
    return tuple(_expected(text, beside is not None, item) for item in found if item["expect"])


def _expected(text: str, beside: bool, comment: re.Match[str]) -> Expected:
    found = _EXPECTED.fullmatch(comment["expect"])
    if found is None:
        raise ValueError(f"cannot be read: {comment[0]}")
    here = 0 if beside else text.count("\n", 0, comment.start()) + 1
    step = int(found["row"])
    row = {"": step, "+": here + step, "-": here - step}[found["sign"]]
    return Expected(found["code"], row, None if found["column"] is None else int(found["column"]), found["part"])


def main() -> int:
    """Write the outputs of all examples, and return 1 if a finding is unexpected."""
    failed = 0
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for item in _read(path):
            if item.found != item.output:
                begin = text.index(f"## {item.title}\n")
                end = text.find("\n## ", begin) if "\n## " in text[begin:] else len(text)
                section = re.sub(r"```text\n.*?```\n\n?", "", text[begin:end], flags=re.S).rstrip()
                shown = f"\n\n```text\n{item.found}```" if item.found else ""
                text = f"{text[:begin]}{section}{shown}\n{text[end:]}"
                print(f"written: {path.name}: {item.title}")
            for problem in problems(dataclasses.replace(item, output=item.found)):
                failed = 1
                print(f"{path.name}: {item.title}: {problem}", file=sys.stderr)
        path.write_text(text, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
