"""A page that shows heads: their attention by weight and by norm, and the findings of the analyses."""
