"""The tests that can see a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins import affected as plugin
from tests.plugins.affected import Record, affected, changed, functions_of, recorded

SOURCE = b'''"""A module."""

LIMIT = 3


class Box:
    """A box."""

    size: int = 1

    def open(self) -> int:
        """Open it."""
        return LIMIT  # the limit


def close(box: Box) -> None:
    def inner() -> None: ...
    inner()
'''


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (b"# the limit", b"# another", set()),
        (b'"""Open it."""', b'"""Open the box."""', set()),
        (b'"""A box."""', b'"""A small box."""', set()),
        (b"return LIMIT", b"return 4", {"Box.open"}),
        (b"def inner() -> None: ...", b"def inner() -> None: print()", {"close"}),
        (b"LIMIT = 3", b"LIMIT = 4", {"<module>"}),
        (b"size: int = 1", b"size: int = 2", {"<module>"}),
        (b"class Box:", b"class Box(dict):", {"<module>"}),
        (b"def close", b"def shut", {"close", "shut"}),
    ],
)
def test_functions_that_differ(before: bytes, after: bytes, names: set[str]) -> None:
    assert before in SOURCE
    old, new = functions_of(SOURCE), functions_of(SOURCE.replace(before, after))
    assert {name for name in {*old, *new} if old.get(name) != new.get(name)} == names


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "irrun/box.py": SOURCE,
        "irrun/ops/math/sin.py": b'@op("Sin", opset=1)\nclass Sin: ...\n',
        "irrun/runtime/lowering/waves.py": b"from irrun_kernels.wave import wave\n\ndef lower() -> None: ...\n",
        "kernels/irrun_kernels/wave.py": b"from irrun_kernels.base import half\n\ndef wave() -> None: ...\n",
        "kernels/irrun_kernels/base.py": b"def half() -> None: ...\n",
        "irrun/runtime/workers.py": b"from irrun_kernels.tape import (\n    walk,\n)\n\ndef run() -> None: ...\n",
        "kernels/irrun_kernels/tape.py": b"def walk() -> None: ...\n",
        "tests/test_box.py": b"def test_open() -> None: ...\n\ndef test_open_twice() -> None: ...\n",
        "tests/texts/box.txt": b"a box",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    monkeypatch.setattr(plugin, "ROOT", tmp_path)
    plugin.importers.cache_clear()
    return tmp_path


CALLS = {
    "tests/test_box.py::test_open": ["irrun/box.py::Box.open", "tests/test_box.py::test_open"],
    "tests/test_box.py::test_open_twice": ["irrun/box.py::Box.open", "irrun/box.py::close", "tests/texts/box.txt"],
    "tests/test_ops.py::test_op[Sin-1]": ["irrun/runtime/workers.py::run"],
    "tests/test_ops.py::test_op[Sinh-1]": ["irrun/runtime/lowering/waves.py::lower"],
}
OPEN, TWICE, SIN, SINH = CALLS


@pytest.mark.parametrize(
    ("file", "before", "after", "expected"),
    [
        ("irrun/box.py", b"return LIMIT", b"return 4", [OPEN, TWICE]),
        ("irrun/box.py", b"    inner()\n", b"    inner\n", [TWICE]),
        ("irrun/box.py", b"LIMIT = 3", b"LIMIT = 4", [OPEN, TWICE]),
        ("irrun/box.py", b"# the limit", b"#", []),
        ("irrun/ops/math/sin.py", b"opset=1", b"opset=2", [SIN]),
        ("kernels/irrun_kernels/base.py", b"...", b"print()", [SINH]),
        ("kernels/irrun_kernels/tape.py", b"...", b"print()", [SIN]),
        ("tests/test_box.py", b"def test_open() -> None: ...", b"def test_open() -> None: print()", [OPEN]),
        ("tests/texts/box.txt", b"a box", b"two", [TWICE]),
    ],
)
def test_affected_tests(tree: Path, file: str, before: bytes, after: bytes, expected: list[str]) -> None:
    path = tree / "record"
    recorded(CALLS, dict.fromkeys(CALLS, 0.1)).write(path)
    record = Record.read(path)
    assert record is not None
    assert list(changed(record)) == []
    data = (tree / file).read_bytes()
    assert before in data
    (tree / file).write_bytes(data.replace(before, after, 1))
    assert affected(record, changed(record)) == expected


def test_without_a_record(tmp_path: Path) -> None:
    assert Record.read(tmp_path / "record") is None
