"""Extensions that fail in every way, with the messages about them."""

from __future__ import annotations

from typing import NamedTuple


class Faulty(NamedTuple):
    """An extension with a fault, its text and the message."""

    name: str
    text: str
    message: str


_OPERATION = '''import numpy as np
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import FLOAT
T = TypeVar("T", FLOAT)

@op("SoftShrink", opset="extension")
class SoftShrink(Op):
    """Shrink."""
    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    lambd: float = attr(0.5, ge=0, doc="the threshold")

    def infer(self, data):
        {infer}

    def run(self, data):
        {run}
'''

_RULE = '''from irrun.diagnostics import Severity, Diagnostic, Anchor
from irrun.linter.rule import Rule

class Mine(Rule):
    """
    Mine.
    """

    code, name = "MY201", "my-rule"
    severity = Severity.WARNING

    def check(self, context):
        net = context.document.net
        {check}
'''


def operation_text(infer: str = "return data.shape", run: str = "return data * 1") -> str:
    return _OPERATION.format(infer=infer, run=run)


def rule_text(check: str) -> str:
    return _RULE.format(check=check)


def _run(name: str, statement: str, message: str) -> Faulty:
    return Faulty(name, operation_text(run=statement), message)


def _infer(name: str, statement: str, message: str) -> Faulty:
    return Faulty(name, operation_text(infer=statement), f"infer {message}")


_WANTED = "expected f32[2,3], as infer states"
_FACTS = "expected a Shape or a Fact for each of 1 output"

RUNS = [
    _run("divides", "return 1 / 0", "fails at ext.py:17: ZeroDivisionError: division by zero"),
    _run("key", "return {}['x']", "fails at ext.py:17: KeyError: 'x'"),
    _run("lines", "raise RuntimeError('a\\nb')", "fails at ext.py:17: RuntimeError: a…"),
    _run("assertion", "assert False", "fails at ext.py:17: AssertionError"),
    _run(
        "numpy",
        "return np.reshape(data, 7)",
        "fails at ext.py:17: ValueError: cannot reshape array of size 6 into shape (7,)",
    ),
    _run("exits", "raise SystemExit(3)", "fails at ext.py:17: SystemExit: 3"),
    _run("stops", "raise StopIteration", "fails at ext.py:17: StopIteration"),
    _run("recursion", "return self.run(data)", "fails at ext.py:17: RecursionError: maximum recursion depth exceeded"),
    _run("writes", "data[:] = 0", "fails at ext.py:17: ValueError: assignment destination is read-only"),
    _run("import", "import nothing", "fails at ext.py:17: ModuleNotFoundError: No module named 'nothing'"),
    _run("none", "return None", f"at ext.py:16 returns None, {_WANTED}"),
    _run("smaller", "return data[:1]", f"at ext.py:16 returns an array of float32[1, 3], {_WANTED}"),
    _run("complex", "return data + 1j", f"at ext.py:16 returns an array of complex64[2, 3], {_WANTED}"),
    _run("strings", "return data.astype('U9')", f"at ext.py:16 returns an array of <U9[2, 3], {_WANTED}"),
    _run("objects", "return data.astype(object)", f"at ext.py:16 returns an array of object[2, 3], {_WANTED}"),
    _run("two", "return data, data", "at ext.py:16 returns 2 outputs, expected 1"),
    _run("number", "return 1.5", f"at ext.py:16 returns 1.5, {_WANTED}"),
    _run("itself", "return self", f"at ext.py:16 returns a SoftShrink, {_WANTED}"),
    Faulty(
        "arguments",
        operation_text().replace("def run(self, data)", "def run(self)"),
        "fails at ext.py:16: TypeError: SoftShrink.run() takes 1 positional argument but 2 were given",
    ),
    Faulty(
        "helper",
        operation_text(run="return helper(data)") + "\n\ndef helper(data):\n    return data.nothing\n",
        "fails at ext.py:21: AttributeError: 'numpy.ndarray' object has no attribute 'nothing'",
    ),
    Faulty(
        "message",
        operation_text(run="raise Odd()") + "\n\nclass Odd(Exception):\n    def __str__(self):\n        return 1 / 0\n",
        "fails at ext.py:17: Odd: its message cannot be read",
    ),
]

INFERS = [
    _infer("divides", "return 1 / 0", "fails at ext.py:14: ZeroDivisionError: division by zero"),
    _infer("exits", "raise SystemExit", "fails at ext.py:14: SystemExit"),
    _infer("none", "return None", f"at ext.py:13 returns None, {_FACTS}"),
    _infer("list", "return [2, 3]", f"at ext.py:13 returns (2, 3), {_FACTS}"),
    _infer("two", "return data, data", f"at ext.py:13 returns (Fact(f32[2,3]), Fact(f32[2,3])), {_FACTS}"),
    _infer(
        "attribute",
        "return data.nothing",
        "fails at ext.py:14: AttributeError: 'Fact' object has no attribute 'nothing'",
    ),
    Faulty(
        "verify",
        operation_text() + "\n    def verify(self):\n        return {}[1]\n",
        "verify fails at ext.py:20: KeyError: 1",
    ),
]

IMPORTS = [
    Faulty("module", "import nothing\n", "ext.py:1 cannot be imported: ModuleNotFoundError: No module named 'nothing'"),
    Faulty("syntax", "def\n", "ext.py:1 cannot be imported: SyntaxError: invalid syntax (ext.py, line 1)"),
    Faulty("exits", "\nraise SystemExit(4)\n", "ext.py:2 cannot be imported: SystemExit: 4"),
    Faulty("empty", "x = 1\n", "ext.py declares no operation, rule or pass"),
    Faulty(
        "hint",
        operation_text().replace("lambd: float", "lambd: nope"),
        "the declaration of SoftShrink of extension cannot be used: NameError(\"name 'nope' is not defined\")",
    ),
]

RULES = [
    Faulty("raises", rule_text("raise ValueError('no')"), "fails at ext.py:14: ValueError: no"),
    Faulty("exits", rule_text("exit(3)"), "fails at ext.py:14: SystemExit: 3"),
    Faulty(
        "later", rule_text("yield self.report(net, 1 / 0)"), "fails at ext.py:14: ZeroDivisionError: division by zero"
    ),
    Faulty("none", rule_text("pass"), "fails at ext.py:12: TypeError: 'NoneType' object is not iterable"),
    Faulty(
        "text",
        rule_text("yield 'wrong'"),
        "fails at ext.py:12: TypeError: check yields 'wrong', expected what self.report returns",
    ),
    Faulty(
        "code",
        rule_text("yield Diagnostic('MY999', 'x')"),
        "fails at ext.py:12: ValueError: check yields a finding of MY999, which is no rule",
    ),
    Faulty(
        "context",
        rule_text("yield self.report(context.nothing)"),
        "fails at ext.py:14: AttributeError: 'Context' object has no attribute 'nothing'",
    ),
]
