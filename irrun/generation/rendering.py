"""Renders chat templates: a conversation as one text, by Jinja in a sandbox, in bounded time and memory."""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Final, NoReturn

from irrun.diagnostics.installing import install
from irrun.generation.errors import GenerationError

_LONGEST: Final = 1 << 20
"""The limit on characters of a template."""

_SECONDS: Final = 5.0
_MEMORY: Final = 1 << 29
"""The limits on rendering, of which memory is in bytes, and enforced on Linux."""

_BITS: Final = 1 << 12
"""The limit on bits of an integer that is computed."""

_FILE: Final = "<template>"
"""The file name of compiled templates."""


def rendered(text: str, messages: Sequence[Mapping[str, Any]], words: Mapping[str, Any]) -> str:
    """Return a conversation by a template.

    GenerationError, with the line of the template, where it fails, refuses the conversation, takes more than 5 seconds
    or more than 512 MiB.
    """
    if len(text) > _LONGEST:
        raise GenerationError(f"the chat template has {len(text):,} characters, expected at most {_LONGEST:,}")
    environment = _environment()
    source = ""
    try:
        with _bounded_time(), _bounded_memory():
            source = environment.compile(text, raw=True)
            code = compile(source, _FILE, "exec")
            template = environment.template_class.from_code(environment, code, environment.make_globals(None))
            return str(template.render(messages=list(messages), **words))
    except _Refused as error:
        raise GenerationError(f"the chat template refuses the conversation: {error}") from None
    except (Exception, _Late) as error:  # The expressions of a template may raise anything.
        where = f" in line {line}" if (line := _line(error, source)) is not None else ""
        raise GenerationError(f"the chat template cannot be used{where}: {_reason(error)}") from None


def _environment() -> Any:
    """Return an environment with the functions that transformers gives to templates."""
    try:
        from jinja2 import nodes
        from jinja2.ext import Extension, loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise GenerationError(f"chat templates need Jinja: {install('text')}") from None

    class Generation(Extension):  # type: ignore[misc, unused-ignore]
        """``{% generation %}`` marks answers for training, and changes no text."""

        tags = {"generation"}

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    class Environment(ImmutableSandboxedEnvironment):  # type: ignore[misc, unused-ignore]
        """A sandbox in which integers stay small."""

        intercepted_binops = frozenset(("*", "**"))

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            _require_small(operator, left, right)
            return super().call_binop(context, operator, left, right)

    extensions = [Generation, loopcontrols]
    environment = Environment(trim_blocks=True, lstrip_blocks=True, extensions=extensions, optimized=False)
    environment.filters["tojson"] = _as_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    return environment


def _require_small(operator: str, left: Any, right: Any) -> None:
    """Raise OverflowError where a product or a power of integers has more bits than allowed."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length()
        if (bits * max(right, 0) if operator == "**" else bits + right.bit_length()) > _BITS:
            raise OverflowError(f"an integer has more than {_BITS:,} bits")


@contextmanager
def _bounded_time() -> Iterator[None]:
    """Raise _Late in a line of a template, or of Jinja, that begins after the limit.

    Other code is left alone: what a callback of the garbage collector raises is lost, and ends the tracing.
    """
    end = time.monotonic() + _SECONDS

    def trace(frame: FrameType, _event: str, _argument: Any) -> Any:
        name = frame.f_globals.get("__name__", "")
        if frame.f_code.co_filename != _FILE and not name.startswith("jinja2."):
            return None
        if time.monotonic() > end:
            raise _Late
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Let allocations beyond the limit fail with MemoryError, where the system can."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (min(wanted, soft) if soft != resource.RLIM_INFINITY else wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _reason(error: BaseException) -> str:
    """Return the kind of an error and what it says."""
    if isinstance(error, _Late):
        return f"rendering takes more than {_SECONDS:g} seconds"
    if isinstance(error, MemoryError):
        return f"rendering takes more than {_MEMORY >> 20} MiB"
    return f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"


def _line(error: BaseException, source: str) -> int | None:
    """Return the line of a template where an error was raised; ``source`` is the template as Python code."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return int(error.lineno)
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return _of_code(error.lineno, source)
    found: int | None = None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == _FILE:
            found = _of_code(trace.tb_lineno, source) if isinstance(error, _Late) else trace.tb_lineno
        elif not source:
            found = _read(frame.f_locals) or found
        trace = trace.tb_next
    return found


def _read(variables: Mapping[str, Any]) -> int | None:
    """Return the line that Jinja's parser or compiler is at, by the variables of one of its functions."""
    stream = getattr(variables.get("self"), "stream", None)
    line = getattr(getattr(stream, "current", None), "lineno", getattr(variables.get("node"), "lineno", None))
    return line if isinstance(line, int) else None


def _of_code(line: int, source: str) -> int | None:
    """Return the line of a template behind a line of its code, which ends with pairs of both."""
    _, _, pairs = source.rpartition("debug_info = ")
    known = [tuple(map(int, pair.split("="))) for pair in pairs.strip().strip("'\"").split("&") if "=" in pair]
    return max((of_template for of_template, of_code in known if of_code <= line), default=None)


class _Late(BaseException):
    """Rendering takes too long. No code of Jinja catches it."""


class _Refused(Exception):
    """A template raised an exception of its own."""


def _refuse(message: str) -> NoReturn:
    raise _Refused(message)


def _now(format: str) -> str:
    return datetime.datetime.now().strftime(format)


def _as_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
