"""Entry points for OSS-Fuzz and ClusterFuzzLite; they need the package ``atheris``."""
