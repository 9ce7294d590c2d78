"""The target ``shapes`` for OSS-Fuzz."""

from __future__ import annotations

from tests.fuzz.oss_fuzz.entry import fuzz
from tests.fuzz.targets import TARGETS

if __name__ == "__main__":
    fuzz(TARGETS["shapes"])
