"""Encoders, masked language models, translation models and tokenizers: loading and training them, and their input."""
