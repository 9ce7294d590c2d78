"""Builders of the operations of opset8."""

from irrun.api.opsets import module

__getattr__, __dir__ = module(8)
