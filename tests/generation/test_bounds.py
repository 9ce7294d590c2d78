"""The bounds of templates, and what these call, by themselves: while a template is rendered nothing is traced."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from irrun.generation import rendering
from irrun.generation.streaming import _is_unfinished


@pytest.mark.parametrize(
    ("operator", "left", "right"), [("*", 3, 4), ("**", 3, 4), ("**", 2, -1), ("*", "a", 10**9), ("*", 10**9, [1])]
)
def test_small_integers(operator: str, left: Any, right: Any) -> None:
    rendering._require_small(operator, left, right)


@pytest.mark.parametrize(("operator", "left", "right"), [("**", 10, 10**9), ("*", 1 << rendering._BITS, 2)])
def test_integers_of_many_bits(operator: str, left: int, right: int) -> None:
    with pytest.raises(OverflowError, match=rf"^an integer has more than {rendering._BITS:,} bits$"):
        rendering._require_small(operator, left, right)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond what the process has already, and only while a template is rendered."""
    monkeypatch.setattr(rendering, "_MEMORY", 64 << 20)
    with rendering._bounded_memory(), pytest.raises(MemoryError):
        bytearray(256 << 20)
    assert len(bytearray(256 << 20)) == 256 << 20


def test_memory_is_not_bounded_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_arguments: Any, **_named: Any) -> Any:
        raise OSError("no such file")

    monkeypatch.setattr(rendering, "_MEMORY", 64 << 20)
    monkeypatch.setattr(rendering, "open", refused, raising=False)
    with rendering._bounded_memory():
        assert len(bytearray(256 << 20)) == 256 << 20


def test_what_templates_call() -> None:
    assert rendering._as_json({"b": "é", "a": [1]}) == '{"b": "é", "a": [1]}'
    assert rendering._as_json({"b": 1, "a": 2}, indent=1, sort_keys=True) == '{\n "a": 2,\n "b": 1\n}'
    assert rendering._now("%Y") in {str(datetime.datetime.now().year + shift) for shift in (-1, 0)}
    with pytest.raises(rendering._Refused, match=r"^no system role$"):
        rendering._refuse("no system role")


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", False), (b"a", False), (b"\xc3", True), (b"\xe2\x82", True), (b"\xf0a\x80", False), (b"\x80\x80", False)],
)
def test_the_end_of_a_text_in_bytes(data: bytes, expected: bool) -> None:
    """A letter between the begin of a character and its rest ends it."""
    assert _is_unfinished(data) == expected
