"""Streaming moments, bootstrap intervals, held-out choice: written once, used by every paper."""
