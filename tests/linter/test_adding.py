"""Rules of users: where they apply, and what is wrong with others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import irrun.model
from irrun.diagnostics import Diagnostic
from irrun.linter import rule as registry
from irrun.linter.context import Context
from irrun.linter.rule import Rule, adding, rules
from irrun.linter.selection import UnknownRule, selector
from irrun.ops.extending import ExtensionWarning
from irrun.ops.importing import ExtensionError

EXAMPLE = Path(__file__).parents[2] / "examples" / "extension"


class LongName(Rule):
    """A layer has a long name."""

    code, name = "TEST201", "long-name"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for layer in context.document.net.layers:
            if len(layer.name) > 4:
                yield self.report(context.document.net, f'the name "{layer.name}" is long, expected 4 letters')


def test_apply_only_where_given() -> None:
    path = EXAMPLE / "model.xml"
    before = list(rules())
    found = irrun.lint(path, extensions=[LongName])
    assert [(item.code, item.message) for item in found] == [
        ("TEST201", 'the name "SoftShrink_1" is long, expected 4 letters'),
        ("TEST201", 'the name "ReLU_2" is long, expected 4 letters'),
        ("TEST201", 'the name "Result_3" is long, expected 4 letters'),
    ]
    assert {(item.name, item.url) for item in found.findings()} == {("long-name", "")}
    assert list(irrun.lint(path)) == []
    assert list(rules()) == before


def test_selected_by_code_prefix_and_name() -> None:
    with adding([LongName]):
        assert selector("TEST201").codes == selector("TEST").codes == selector("long-name").codes == {"TEST201"}
        assert selector("ALL").codes == set(rules())
        with pytest.raises(UnknownRule, match='"TEST210"; did you mean TEST201'):
            selector("TEST210")
        with adding([EXAMPLE / "my_rules.py"]):
            assert {"MY201", "TEST201"} <= set(rules())
        assert "MY201" not in rules()
    with pytest.raises(UnknownRule):
        selector("TEST201")


def test_suppressed_in_the_file(tmp_path: Path) -> None:
    text = (EXAMPLE / "model.xml").read_text()
    path = tmp_path / "model.xml"
    path.write_text(text.replace("<net", "<!-- irrun: ignore-file[TEST201] known -->\n<net", 1))
    assert list(irrun.lint(path, extensions=[LongName])) == []


def declared(code: str = "TEST202", name: str = "wide-name", doc: str | None = "Text.") -> type[Rule]:
    return type("Mine", (Rule,), {"code": code, "name": name, "__doc__": doc})


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (declared("IR401"), 'the rule Mine has the code "IR401", expected letters of its own and a number'),
        (
            declared("TEST2"),
            'the rule Mine has the code "TEST2", expected letters of its own and a number, such as MY101',
        ),
        (declared(name="Wide"), 'the rule Mine has the name "Wide", expected words in kebab case, such as wide-tensor'),
        (
            declared(name="wrong-output-dims"),
            "the rule Mine is TEST202 wrong-output-dims, which another rule is called",
        ),
        (declared("TEST201"), "the rule Mine is TEST201 wide-name, which another rule is called"),
        (declared(doc=None), "the rule Mine has no docstring, which irrun rule TEST202 prints"),
    ],
)
def test_unusable(rule: type[Rule], message: str) -> None:
    with pytest.raises(ExtensionError, match=message), adding([LongName, rule]):
        pass


@pytest.fixture
def _afresh() -> Iterator[None]:
    registry.forget()
    yield
    registry.forget()


@pytest.mark.usefixtures("_afresh")
def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "irrun.rules": [metadata.EntryPoint("long", f"{__name__}:LongName", "irrun.rules")],
        "irrun.operations": [metadata.EntryPoint("own", "tests.ops.own_operations", "irrun.operations")],
    }
    monkeypatch.setattr(metadata, "entry_points", lambda group: points.get(group, []))
    assert rules()["TEST201"] is LongName
    path = EXAMPLE / "model.xml"
    assert {item.code for item in irrun.lint(path)} == {"TEST201"}
    assert irrun.model.build(irrun.model.load(path))([[1, -1, 2], [0, 0, 0]])[0].tolist() == [
        [0.75, 0, 1.75],
        [0, 0, 0],
    ]


@pytest.mark.usefixtures("_afresh")
def test_broken_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "irrun.operations": [
            metadata.EntryPoint("lost", "nothing.like_it", "irrun.operations"),
            metadata.EntryPoint("own", "tests.ops.own_operations", "irrun.operations"),
            metadata.EntryPoint("empty", "json", "irrun.operations"),
        ],
        "irrun.rules": [
            metadata.EntryPoint("gone", f"{__name__}:Gone", "irrun.rules"),
            metadata.EntryPoint("long", f"{__name__}:LongName", "irrun.rules"),
        ],
    }
    monkeypatch.setattr(metadata, "entry_points", lambda group: points.get(group, []))
    with pytest.warns(ExtensionWarning) as told:
        assert {item.code for item in irrun.lint(EXAMPLE / "model.xml")} == {"TEST201"}
    assert sorted(str(item.message) for item in told) == [
        "the entry point empty of a package cannot be used: json declares no operation, rule or pass",
        f"the entry point gone of a package fails: AttributeError: module {__name__!r} has no attribute 'Gone'",
        "the entry point lost of a package fails: ModuleNotFoundError: No module named 'nothing'",
    ]


class Limited(Rule):
    """A layer has a name that is longer than a limit."""

    code, name = "TEST203", "limited-name"
    options = {"limit": 12, "share": 0.5, "words": ("ReLU",), "exact": False}

    def check(self, context: Context) -> Iterator[Diagnostic]:
        limit, words = context.option(self, "limit"), context.option(self, "words")
        for layer in context.document.net.layers:
            if len(layer.name) > limit and layer.name.startswith(words):
                yield self.report(context.document.net, layer.name)


def names(**settings: Any) -> list[str]:
    return [item.message for item in irrun.lint(EXAMPLE / "model.xml", extensions=[Limited], **settings)]


def test_settings_of_a_rule() -> None:
    assert names() == []
    assert names(rules={"TEST203": {"limit": 4}}) == ["ReLU_2"]
    assert names(rules={"limited-name": {"limit": 7, "words": ["Soft", "Re"]}}) == ["SoftShrink_1", "Result_3"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("limit", 1.5, "it is 1.5, expected a value such as 12"),
        ("limit", True, "it is True, expected a value such as 12"),
        ("words", "x", "it is 'x', expected a list"),
        ("limmit", 4, "TEST203 has no such setting; did you mean limit?"),
        ("zzzz", 4, "TEST203 has no such setting, expected limit, share, words or exact"),
    ],
)
def test_settings_that_a_rule_does_not_have(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Limited.checked_option(name, value)
    assert Limited.checked_option("share", 1) == 1.0
