"""The commands of ``irrun edit``."""
