"""The target ``reader`` for OSS-Fuzz."""

from __future__ import annotations

from tests.fuzz.oss_fuzz.entry import fuzz

if __name__ == "__main__":
    fuzz("reader")
