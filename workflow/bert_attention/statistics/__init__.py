"""Streaming moments, bootstrap intervals, held-out choice: written once, used for every paper."""
