"""Encoders, masked language models and translation models: loading and training them, and their input."""
