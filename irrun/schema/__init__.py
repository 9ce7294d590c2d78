"""Schemas of the IR and of the lint report, generated from the declarations of the operations."""

from irrun.schema.relaxng import relaxng
from irrun.schema.report import report_schema, run_schema
from irrun.schema.xsd import xsd

__all__ = ["relaxng", "report_schema", "run_schema", "xsd"]
