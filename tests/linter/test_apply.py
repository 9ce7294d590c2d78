"""Edits are applied byte for byte and in order; a file gets all of them or none."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from irrun.diagnostics import Diagnostic, Edit, Fix
from irrun.linter.apply import MOST_ROUNDS, apply_fixes, diff, edited, rewrite, without_overlap


def finding(*edits: Edit, safe: bool = True) -> Diagnostic:
    return Diagnostic("IR401", "wrong", fix=Fix("repeat", edits, "safe" if safe else "unsafe"))


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([], b"abcdef"),
        ([Edit(1, 2, "X")], b"aXcdef"),
        ([Edit(3, 3, "-")], b"abc-def"),
        ([Edit(0, 6, "")], b""),
        ([Edit(4, 6, "Z"), Edit(0, 2, "\u00e9")], "\u00e9cdZ".encode()),
        ([Edit(1, 2, "X"), Edit(1, 2, "X")], b"aXcdef"),
        ([Edit(6, 6, "!")], b"abcdef!"),
    ],
)
def test_edited(edits: Sequence[Edit], after: bytes) -> None:
    assert edited(b"abcdef", edits) == after


def test_the_earlier_of_two_overlapping_fixes_is_kept() -> None:
    first, second = finding(Edit(2, 5, "x")), finding(Edit(0, 1, "y"), Edit(4, 6, "z"))
    third, same = finding(Edit(5, 6, "w")), finding(Edit(2, 5, "x"), Edit(8, 9, "v"))
    assert without_overlap([first, second, third, same]) == [first, third, same]
    assert without_overlap([second, first]) == [second]


@pytest.mark.parametrize(("a", "b", "both"), [((3, 3), (3, 3), False), ((3, 3), (3, 5), False), ((1, 3), (3, 3), True)])
def test_insertions_at_one_place(a: tuple[int, int], b: tuple[int, int], both: bool) -> None:
    found = [finding(Edit(*a, "1")), finding(Edit(*b, "2"))]
    assert (without_overlap(found) == found) is both


def shortening(data: bytes) -> list[Diagnostic]:
    """Report an excess letter until three are left; the last fix is unsafe."""
    return [finding(Edit(0, 1, ""), safe=len(data) > 4)] if len(data) > 3 else []


def test_fixes_are_applied_until_none_is_left() -> None:
    outcome = apply_fixes(b"abcdef", shortening)
    assert (outcome.data, len(outcome.applied), len(outcome.left)) == (b"cdef", 2, 1)
    outcome = apply_fixes(b"abcdef", shortening, unsafe=True)
    assert (outcome.data, len(outcome.applied), len(outcome.left)) == (b"def", 3, 0)


def growing(most: int) -> Callable[[bytes], list[Diagnostic]]:
    """Report that a text is short, until it has the length ``most``."""
    return lambda data: [finding(Edit(len(data), len(data), "b"))] if len(data) < most else []


def test_fixes_that_reveal_others_without_an_end_leave_the_file() -> None:
    outcome = apply_fixes(b"a", growing(10**9))
    assert (outcome.data, outcome.applied, len(outcome.left)) == (b"a", (), 1)


def test_as_many_rounds_of_fixes_as_are_allowed() -> None:
    outcome = apply_fixes(b"a", growing(MOST_ROUNDS))
    assert (outcome.data, len(outcome.left)) == (b"a" + b"b" * (MOST_ROUNDS - 1), 0)


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    outcome = apply_fixes(b"a", lambda data: [finding(Edit(0, 1, "b" if data == b"a" else "a"))])
    assert (outcome.data, len(outcome.applied)) == (b"b", 1)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-8-sig"])
def test_a_file_keeps_its_encoding(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><net name="é"/>'

    def renaming(data: bytes) -> list[Diagnostic]:
        at = data.find('"é"'.encode())
        return [finding(Edit(at, at + 4, '"ü"'))] if at >= 0 else []

    outcome = apply_fixes(text.encode(encoding), renaming)
    assert outcome.data == text.replace("é", "ü").encode(encoding)
    assert (len(outcome.applied), outcome.left) == (1, [])


def test_a_file_is_left_alone_where_its_encoding_cannot_hold_it() -> None:
    data = '<?xml version="1.0" encoding="latin-1"?><net name="é"/>'.encode("latin-1")
    outcome = apply_fixes(
        data, lambda text: [finding(Edit(len(text), len(text), "<!-- € -->"))] if "€".encode() not in text else []
    )
    assert (outcome.data, outcome.applied, len(outcome.left)) == (data, (), 1)
    cut = "<net/>".encode("utf-16")[:-1]
    outcome = apply_fixes(cut, lambda _: [finding(Edit(0, 1, ""))])
    assert (outcome.data, outcome.applied) == (cut, ())


def test_a_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(b"before")
    path.chmod(0o640)
    link = tmp_path / "link.xml"
    link.symlink_to(path)
    rewrite(link, b"before", b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(item.name for item in tmp_path.iterdir()) == ["link.xml", "model.xml"]


def test_nothing_is_lost_where_a_file_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(b"abcdef")

    def refused(*_: object) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(PermissionError):
        rewrite(path, path.read_bytes(), apply_fixes(path.read_bytes(), shortening).data)
    assert path.read_bytes() == b"abcdef"
    assert [item.name for item in tmp_path.iterdir()] == ["model.xml"]


def test_a_sound_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(b"abc")
    before = path.stat()
    rewrite(path, path.read_bytes(), apply_fixes(path.read_bytes(), shortening).data)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_diff() -> None:
    assert diff("m.xml", b"a\nb\nc", b"a\nB\nc") == (
        "--- m.xml\n+++ m.xml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n"
    )
    assert diff("m.xml", b"a\n", b"a\n") == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write to any file")
def test_a_file_that_is_not_to_be_written(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(b"before")
    path.chmod(0o444)
    with pytest.raises(PermissionError) as caught:
        rewrite(path, b"before", b"after")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"before"


def test_a_folder_that_no_file_can_be_made_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "a name that nobody knows")

    path = tmp_path / "model.xml"
    path.write_bytes(b"before")
    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(OSError, match="Permission denied in its folder") as caught:
        rewrite(path, b"before", b"after")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"before"
