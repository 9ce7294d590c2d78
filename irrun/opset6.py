"""Builders of the operations of opset6."""

from irrun.api.opsets import module

__getattr__, __dir__ = module(6)
