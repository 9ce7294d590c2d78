"""The linter: rules over what is read, bound and inferred."""

from irrun.linter.check import Report, lint
from irrun.linter.given import UnknownPort

__all__ = ["Report", "UnknownPort", "lint"]
