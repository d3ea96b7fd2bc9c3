"""Tokens: wordpieces, the words that they belong to, masks, and a model's input made of them."""
