"""The linter: rules over what is read, bound and inferred."""

from irrun.linter.check import Report, lint

__all__ = ["Report", "lint"]
