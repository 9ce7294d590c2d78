"""Run a laboratory: ``python -m tests.lab NAME [options]``. Without a name, list them."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path


def laboratories() -> dict[str, str]:
    """Return the names of the laboratories, with the first line of the docstring of each."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("*/__main__.py")):
        text = ast.get_docstring(ast.parse(path.with_name("__init__.py").read_text(encoding="utf-8")))
        found[path.parent.name] = (text or "").partition("\n")[0]
    return found


def main(arguments: Sequence[str]) -> int:
    known = laboratories()
    if arguments and arguments[0] in known:
        name, *rest = arguments
        status: int = importlib.import_module(f"tests.lab.{name}.__main__").main(rest)
        return status
    print(f"{__doc__}\n")
    print("".join(f"{name:{max(map(len, known)) + 2}}{line}\n" for name, line in known.items()), end="")
    return 0 if arguments in ([], ["-h"], ["--help"]) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
