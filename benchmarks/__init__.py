"""Costs of the project: ``python -m benchmarks.run`` for speed, ``python -m benchmarks.scale`` for large corpora."""
