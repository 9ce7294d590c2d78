"""``python -m irrun``."""

from __future__ import annotations

from irrun.cli import main

if __name__ == "__main__":
    main()
