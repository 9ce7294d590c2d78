"""Outputs of a model beside those of another one: ``irrun compare``."""
