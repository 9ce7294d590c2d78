"""Descriptions of models for people: differences, explanations, drawings and pages."""
