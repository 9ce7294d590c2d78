"""The linter: rules applied to the document, the graph and the inferred facts."""

from irrun.linter.check import Report, lint
from irrun.linter.given import UnknownPort

__all__ = ["Report", "UnknownPort", "lint"]
