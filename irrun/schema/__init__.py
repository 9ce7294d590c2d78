"""What an editor or another program validates an IR, or a lint report, against: made from the declarations alone."""

from irrun.schema.relaxng import relaxng
from irrun.schema.report import report_schema
from irrun.schema.xsd import xsd

__all__ = ["relaxng", "report_schema", "xsd"]
