"""The target ``shapes`` for OSS-Fuzz."""

from __future__ import annotations

from tests.lab.fuzz.oss_fuzz.entry import fuzz

if __name__ == "__main__":
    fuzz("shapes")
