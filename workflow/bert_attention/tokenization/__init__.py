"""Tokenization: wordpieces, their words, masks, and the model's input."""
