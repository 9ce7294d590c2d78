"""The commands of ``irrun debug``."""
