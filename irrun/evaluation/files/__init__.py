"""Tensors in files: arrays, images, and the outputs of models."""
