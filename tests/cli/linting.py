"""A project of faulty files, for tests of ``irrun lint``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click.testing

from tests.linter.models import NET

WRONG = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
UNKNOWN = NET.replace('type="Clamp"', 'type="Clmp"')
UNUSED = NET.replace("<layers>", "<!-- irrun: ignore-file[IR401] --><layers>")
LINE = '6:68: error: Parameter 0 "x": output port 0 is declared [2,4], inferred [2,3] [IR401]'

Write = Callable[..., Path]


def codes(result: click.testing.Result) -> list[tuple[str, str]]:
    return [(item["filename"], item["code"]) for item in json.loads(result.stdout)]
