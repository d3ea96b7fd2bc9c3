"""A page on which to look at heads: attention by weight and by norm, beside what the analyses found."""
