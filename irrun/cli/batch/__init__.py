"""Run a model on many inputs: ``irrun run --batch`` and ``irrun evaluate``."""
