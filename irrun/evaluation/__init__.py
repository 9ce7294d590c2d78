"""Measure a model: its speed, its layers, its accuracy against labels, and many inputs at once.

>>> from irrun.evaluation import benchmark
>>> from irrun.model import load
>>> benchmark(load("model.xml"), {0: image})["engines"]["irrun"]["median"]
"""
