"""What the project costs: ``python -m benchmarks.run`` for speed, ``python -m benchmarks.scale`` for large corpora."""
