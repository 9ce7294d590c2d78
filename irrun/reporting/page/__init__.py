"""A model, or two side by side, as one self-contained HTML page."""

from irrun.reporting.page.contents import Subject, contents, titles
from irrun.reporting.page.html import page
from irrun.reporting.page.measured import Measured, inputs_of, measure

__all__ = ["Measured", "Subject", "contents", "inputs_of", "measure", "page", "titles"]
