"""Runs a target with atheris."""

from __future__ import annotations

import random
import sys
from typing import Any

from tests.fuzz.corpus import seeds
from tests.fuzz.mutate import Mutator
from tests.fuzz.targets import Target


def fuzz(target: Target) -> None:
    """Fuzz a target until it fails, with the mutations of atheris and those that know the structure of an IR."""
    import atheris  # type: ignore[import-not-found]

    def mutate(data: bytes, most: int, number: int) -> Any:
        if random.Random(number).random() < 0.3:
            return atheris.Mutate(data, most)
        return Mutator([data, *seeds()[:200]], number).mutated(data)[:most]

    atheris.instrument_all()
    atheris.Setup(sys.argv, target, custom_mutator=mutate)
    atheris.Fuzz()
