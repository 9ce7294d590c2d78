"""Schemas of the IR, generated from the declarations of the operations, and of records, from their types."""

from irrun.schema.records import record_schema
from irrun.schema.relaxng import relaxng
from irrun.schema.xsd import xsd

__all__ = ["record_schema", "relaxng", "xsd"]
