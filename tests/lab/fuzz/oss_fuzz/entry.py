"""Runs a target with atheris."""

from __future__ import annotations

import random
import sys
from typing import Any

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["irrun"]):
    from tests.lab.fuzz.targets import TARGETS

from tests.lab.fuzz.corpus import seeds
from tests.lab.fuzz.mutate import Mutator

MOST_SEEDS = 200
SHARE_OF_BYTES = 0.3
"""The share of mutations that do not know the structure of an IR."""


def fuzz(name: str) -> None:
    """Fuzz a target until it fails, with the mutations of atheris and those that know the structure of an IR."""
    chosen = seeds()[:: len(seeds()) // MOST_SEEDS]

    def mutate(data: bytes, most: int, number: int) -> Any:
        if data and random.Random(number).random() < SHARE_OF_BYTES:
            return atheris.Mutate(data, most)
        mutator = Mutator(chosen, number)
        return (mutator.mutated(data) if b"<" in data else mutator.mutant())[:most]

    atheris.Setup(sys.argv, TARGETS[name], custom_mutator=mutate)
    atheris.Fuzz()
